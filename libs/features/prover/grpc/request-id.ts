import { REQUEST_ID_KEY } from '@fresnel/contracts/prover';
import { type Metadata } from '@grpc/grpc-js';

/** The id of the client's request that a gateway sends with a call; undefined if it sends none. */
export function requestIdOf(metadata: Metadata): string | undefined {
  return metadata.get(REQUEST_ID_KEY)[0]?.toString();
}
