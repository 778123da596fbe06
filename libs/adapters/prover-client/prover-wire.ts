import { create } from '@bufbuild/protobuf';
import {
  type ProveNewAddressesRequest,
  ProveNewAddressesRequestSchema,
  type ProveNewAddressesResponse,
  ProveNewAddressesResponseSchema,
} from '@fresnel/contracts/prover';
import {
  type Hash,
  MalformedBytesError,
  type Pubkey,
  type Slot,
  toHash,
  toPubkey,
  toSlot,
} from '@fresnel/domain/primitives';
import { MerklePaths } from '@fresnel/domain/trees';
import { lowElementIndices, readBlock, viewOf, writeBlock } from './proof-records';
import { type NewAddressProofs } from './prover-client';

/** A decoded request for proofs. */
export interface ProofRequest {
  tree: Pubkey;
  addresses: readonly Hash[];
  minSlot: Slot;
}

export function writeRequest({ tree, addresses, minSlot }: ProofRequest): ProveNewAddressesRequest {
  return create(ProveNewAddressesRequestSchema, { tree, addresses: [...addresses], minSlot: BigInt(minSlot) });
}

/** @throws MalformedTextError for an invalid key, address or slot */
export function readRequest({ tree, addresses, minSlot }: ProveNewAddressesRequest): ProofRequest {
  return {
    tree: toPubkey(Buffer.from(tree)),
    addresses: addresses.map((address) => toHash(Buffer.from(address))),
    minSlot: toSlot(Number(minSlot)),
  };
}

export function writeProofs({ root, rootSeq, elements, paths, ...block }: NewAddressProofs): ProveNewAddressesResponse {
  const { height, nodes } = paths;
  return create(ProveNewAddressesResponseSchema, { ...writeBlock(block), root, rootSeq, height, elements, nodes });
}

/**
 * @param count number of requested addresses
 * @throws MalformedTextError, MalformedBytesError for an invalid response
 */
export function readProofs(response: ProveNewAddressesResponse, count: number): NewAddressProofs {
  const { root, rootSeq, height } = response;
  const elements = viewOf(response.elements);
  const indices = lowElementIndices(elements);
  if (indices.length !== count) throw new MalformedBytesError(`${indices.length} elements instead of ${count}`);
  const paths = MerklePaths.of(indices, height, viewOf(response.nodes));
  return { ...readBlock(response), root: toHash(Buffer.from(root)), rootSeq, elements, paths };
}
