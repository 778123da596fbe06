import { create } from '@bufbuild/protobuf';
import {
  type ProveLeavesRequest,
  ProveLeavesRequestSchema,
  type ProveLeavesResponse,
  ProveLeavesResponseSchema,
} from '@fresnel/contracts/prover';
import { MalformedTextError, type Pubkey, type Slot, toHash, toPubkey, toSlot } from '@fresnel/domain/primitives';
import { readBlock, splitHashes, writeBlock } from './proof-records';
import { type StateTreeProofs } from './prover-client';

/** A decoded request for the paths of leaves. */
export interface LeavesRequest {
  tree: Pubkey;
  leafIndices: readonly number[];
  minSlot: Slot;
}

export function writeLeavesRequest({ tree, leafIndices, minSlot }: LeavesRequest): ProveLeavesRequest {
  return create(ProveLeavesRequestSchema, { tree, leafIndices: leafIndices.map(BigInt), minSlot: BigInt(minSlot) });
}

/** @throws MalformedTextError for an invalid key, leaf index or slot */
export function readLeavesRequest({ tree, leafIndices, minSlot }: ProveLeavesRequest): LeavesRequest {
  return {
    tree: toPubkey(Buffer.from(tree)),
    leafIndices: leafIndices.map(toLeafIndex),
    minSlot: toSlot(Number(minSlot)),
  };
}

export function writeLeaves({ leaves, ...state }: StateTreeProofs): ProveLeavesResponse {
  return create(ProveLeavesResponseSchema, {
    ...state,
    ...writeBlock(state),
    leaves: leaves.map(({ leafIndex, hash, siblings }) => ({
      leafIndex: BigInt(leafIndex),
      hash,
      siblings: Buffer.concat(siblings),
    })),
  });
}

/** @throws MalformedTextError, MalformedBytesError for an invalid response */
export function readLeaves(response: ProveLeavesResponse): StateTreeProofs {
  const { root, rootSeq, nextIndex, height, leaves } = response;
  return {
    ...readBlock(response),
    root: toHash(Buffer.from(root)),
    rootSeq,
    nextIndex,
    height,
    leaves: leaves.map(({ leafIndex, hash, siblings }) => ({
      leafIndex: toLeafIndex(leafIndex),
      hash: toHash(Buffer.from(hash)),
      siblings: splitHashes(Buffer.from(siblings)),
    })),
  };
}

function toLeafIndex(value: bigint): number {
  const leafIndex = Number(value);
  if (!Number.isSafeInteger(leafIndex)) throw new MalformedTextError(`${value} is not a leaf index`);
  return leafIndex;
}
