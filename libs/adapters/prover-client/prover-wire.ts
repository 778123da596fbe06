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
    items: items.map(({ lowElementLeafIndex, nextIndex, ...values }) => ({
      ...values,
      lowElementLeafIndex: BigInt(lowElementLeafIndex),
      nextIndex: BigInt(nextIndex),
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
    address: toHash(asBuffer(item.address)),
    lowerRangeAddress: toHash(asBuffer(item.lowerRangeAddress)),
    higherRangeAddress: toHash(asBuffer(item.higherRangeAddress)),
    lowElementLeafIndex: Number(lowElementLeafIndex),
    nextIndex: Number(nextIndex),
    siblings: requireSiblings(asBuffer(item.siblings)),
  };
}

function requireSiblings(bytes: Buffer): Buffer {
  if (bytes.length % HASH_BYTES !== 0) throw new MalformedBytesError(`${bytes.length} bytes of siblings`);
  return bytes;
}

/** A part of the memory of the response, which a thousand proofs share. */
function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** The siblings of a path, one by one. @throws MalformedBytesError if the bytes are not hashes */
export function splitSiblings(bytes: Buffer): Hash[] {
  return Array.from({ length: requireSiblings(bytes).length / HASH_BYTES }, (_, at) =>
    toHash(bytes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES)),
  );
}
