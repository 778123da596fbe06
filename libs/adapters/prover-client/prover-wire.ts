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
import { proofRecordBytes } from './proof-records';
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

export function writeProofs({ slot, root, rootSeq, height, records }: NewAddressProofs): ProveNewAddressesResponse {
  return create(ProveNewAddressesResponseSchema, { slot: BigInt(slot), root, rootSeq, height, proofs: records });
}

/**
 * @param count number of requested addresses
 * @throws MalformedTextError, MalformedBytesError for an invalid response
 */
export function readProofs(response: ProveNewAddressesResponse, count: number): NewAddressProofs {
  const { slot, root, rootSeq, height, proofs } = response;
  const bytes = count * proofRecordBytes(height);
  if (proofs.length !== bytes) throw new MalformedBytesError(`${proofs.length} bytes of proofs instead of ${bytes}`);
  // The memory of the response: it is large, and is not copied.
  const records = Buffer.from(proofs.buffer, proofs.byteOffset, proofs.byteLength);
  return { slot: toSlot(Number(slot)), root: toHash(Buffer.from(root)), rootSeq, height, records };
}
