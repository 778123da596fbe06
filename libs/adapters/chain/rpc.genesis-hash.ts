import { asText, FresnelError, messageOf, parseHash, toBase58 } from '@fresnel/domain/primitives';
import { type SolanaRpc } from './solana-rpc';

/** Times that each endpoint is asked. */
const ATTEMPTS = 2;

/** No endpoint gives a genesis hash, so it is not known which chain they serve. */
class UnknownChainError extends FresnelError {
  readonly code = 'unknown-chain';
  readonly isRetryable = false;
}

/**
 * Asks for what identifies the chain, for as long as no endpoint answers.
 *
 * @returns the genesis hash, in base58
 * @throws UnknownChainError if all endpoints answer with something else; the signal's reason
 */
export async function findGenesisHash(rpc: SolanaRpc, signal: AbortSignal): Promise<string> {
  const parse = (result: unknown) => result;
  for (let asked = 1; ; asked++) {
    const found = await rpc.call({ method: 'getGenesisHash', params: [], parse }, signal);
    try {
      return toBase58(parseHash(asText(found)));
    } catch (error) {
      if (asked >= ATTEMPTS * rpc.endpointCount) throw unknownChain(error);
      rpc.moveOn();
    }
  }
}

function unknownChain(error: unknown): UnknownChainError {
  const reason = messageOf(error);
  return new UnknownChainError(
    `the genesis hash that getGenesisHash returns is none (${reason}): check that SOLANA_RPC_URL names a Solana node`,
    { cause: error },
  );
}
