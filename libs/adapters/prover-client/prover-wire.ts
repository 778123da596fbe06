import { create } from '@bufbuild/protobuf';
import {
  type NewAddressProof as WireProof,
  type ProveNewAddressesRequest,
  ProveNewAddressesRequestSchema,
  type ProveNewAddressesResponse,
  ProveNewAddressesResponseSchema,
} from '@fresnel/contracts/prover';
import {
  type Hash,
  HASH_BYTES,
  MalformedBytesError,
  type Pubkey,
  type Slot,
  toHash,
  toPubkey,
  toSlot,
} from '@fresnel/domain/primitives';
import { type NewAddressProof, type NewAddressProofs } from './prover-client';

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

export function writeProofs({ slot, root, rootSeq, items }: NewAddressProofs): ProveNewAddressesResponse {
  return create(ProveNewAddressesResponseSchema, {
    slot: BigInt(slot),
    root,
    rootSeq,
    items: items.map(({ lowElementLeafIndex, nextIndex, proof, ...values }) => ({
      ...values,
      lowElementLeafIndex: BigInt(lowElementLeafIndex),
      nextIndex: BigInt(nextIndex),
      siblings: Buffer.concat(proof),
    })),
  });
}

/** @throws MalformedTextError, MalformedBytesError for an invalid response */
export function readProofs({ slot, root, rootSeq, items }: ProveNewAddressesResponse): NewAddressProofs {
  return { slot: toSlot(Number(slot)), root: toHash(Buffer.from(root)), rootSeq, items: items.map(readProof) };
}

function readProof(item: WireProof): NewAddressProof {
  const { lowElementLeafIndex, nextIndex } = item;
  return {
    address: toHash(Buffer.from(item.address)),
    lowerRangeAddress: toHash(Buffer.from(item.lowerRangeAddress)),
    higherRangeAddress: toHash(Buffer.from(item.higherRangeAddress)),
    lowElementLeafIndex: Number(lowElementLeafIndex),
    nextIndex: Number(nextIndex),
    proof: splitSiblings(Buffer.from(item.siblings)),
  };
}

/** @throws MalformedBytesError if the bytes are not hashes */
export function splitSiblings(bytes: Buffer): Hash[] {
  const count = bytes.length / HASH_BYTES;
  if (!Number.isInteger(count)) throw new MalformedBytesError(`${bytes.length} bytes of siblings`);
  return Array.from({ length: count }, (_, at) => toHash(bytes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES)));
}
