import { create } from '@bufbuild/protobuf';
import {
  type ProveLeavesRequest,
  ProveLeavesRequestSchema,
  type ProveLeavesResponse,
  ProveLeavesResponseSchema,
} from '@fresnel/contracts/prover';
import {
  MalformedBytesError,
  MalformedTextError,
  type Pubkey,
  type Slot,
  toHash,
  toPubkey,
  toSlot,
} from '@fresnel/domain/primitives';
import { MerklePaths } from '@fresnel/domain/trees';
import { readBlock, splitHashes, viewOf, writeBlock } from './proof-records';
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

export function writeLeaves({
  root,
  rootSeq,
  nextIndex,
  leaves,
  paths,
  ...block
}: StateTreeProofs): ProveLeavesResponse {
  const { height, nodes } = paths;
  const state = { ...writeBlock(block), root, rootSeq, nextIndex, height };
  return create(ProveLeavesResponseSchema, { ...state, leaves: Buffer.concat(leaves), nodes });
}

/**
 * @param leafIndices that were requested
 * @throws MalformedTextError, MalformedBytesError for an invalid response
 */
export function readLeaves(response: ProveLeavesResponse, leafIndices: readonly number[]): StateTreeProofs {
  const { root, rootSeq, nextIndex, height } = response;
  const leaves = splitHashes(viewOf(response.leaves));
  if (leaves.length !== leafIndices.length)
    throw new MalformedBytesError(`${leaves.length} leaves instead of ${leafIndices.length}`);
  const paths = MerklePaths.of(leafIndices, height, viewOf(response.nodes));
  return { ...readBlock(response), root: toHash(Buffer.from(root)), rootSeq, nextIndex, leaves, paths };
}

function toLeafIndex(value: bigint): number {
  const leafIndex = Number(value);
  if (!Number.isSafeInteger(leafIndex)) throw new MalformedTextError(`${value} is not a leaf index`);
  return leafIndex;
}
