import { type Hash, type Pubkey } from '@fresnel/domain/primitives';
import { type IndexedElement } from '@fresnel/domain/trees';
import { type HashedInsertion } from '../trees/address-tree';
import { BorshWriter } from './borsh-writer';

const LEAVES_NULLIFIED = 1;
const ADDRESSES_INSERTED = 2;
const BATCH_TAGS = { 'outputs-appended': 3, 'inputs-nullified': 4, 'addresses-appended': 5 } as const;

/** The event that the account compression program sends to the noop program when a batch updates a V2 tree. */
export interface BatchEvent {
  kind: keyof typeof BATCH_TAGS;
  tree: Pubkey;
  /** Which of the queue's two batches. */
  batchIndex: number;
  /** Index of the ZK batch inside that batch. */
  zkpBatchIndex: number;
  /** Number of elements of the ZK batch. */
  zkpBatchSize: number;
  oldNextIndex: number;
  newNextIndex: number;
  newRoot: Hash;
  /** Index of the new root in the root history. */
  rootIndex: number;
  seq: bigint;
  /** Set for appends only. */
  outputQueue: Pubkey | null;
}

/** tag u8 | tree 32 | leaf indices (u64 each) | seq u64 */
export function encodeLeavesNullified(tree: Pubkey, leafIndices: readonly number[], seq: bigint): Buffer {
  const writer = new BorshWriter().u8(LEAVES_NULLIFIED).fixed(tree);
  return writer
    .vector(leafIndices, (leafIndex) => writer.u64(leafIndex))
    .u64(seq)
    .toBuffer();
}

/** tag u8 | tree 32 | updates { low element 80 | low hash 32 | high element 80 | high hash 32 } | seq u64 */
export function encodeAddressesInserted(tree: Pubkey, updates: readonly HashedInsertion[], seq: bigint): Buffer {
  const writer = new BorshWriter().u8(ADDRESSES_INSERTED).fixed(tree);
  writer.vector(updates, ({ low, lowHash, high, highHash }) => {
    writeElement(writer, low);
    writer.fixed(lowHash);
    writeElement(writer, high);
    writer.fixed(highHash);
  });
  return writer.u64(seq).toBuffer();
}

/** value 32 | next index u64 | next value 32 | index u64 */
function writeElement(writer: BorshWriter, { value, nextIndex, nextValue, index }: IndexedElement): void {
  writer.fixed(value).u64(nextIndex).fixed(nextValue).u64(index);
}

/**
 * ```
 * tag u8 | tree 32 | batch u64 | zkp batch u64 | zkp batch size u64 | old next index u64 | new next index u64
 *   | new root 32 | root index u32 | seq u64 | output queue option
 * ```
 */
export function encodeBatchEvent(event: BatchEvent): Buffer {
  const writer = new BorshWriter().u8(BATCH_TAGS[event.kind]).fixed(event.tree);
  writer.u64(event.batchIndex).u64(event.zkpBatchIndex).u64(event.zkpBatchSize);
  writer.u64(event.oldNextIndex).u64(event.newNextIndex);
  writer.fixed(event.newRoot).u32(event.rootIndex).u64(event.seq);
  return writer.option(event.outputQueue, (queue) => writer.fixed(queue)).toBuffer();
}
