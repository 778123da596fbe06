import { BorshReader, type Hash, MalformedBytesError, type Pubkey } from '@fresnel/domain/primitives';
import { type AddressesInsertedEvent, type BatchEvent, type LeavesNullifiedEvent, type RawElement } from './events';

export type TreeEvent = LeavesNullifiedEvent | AddressesInsertedEvent | BatchEvent;

const ELEMENT_BYTES = 32 + 8 + 32 + 8;
/** The maximum height of a tree is 40. */
const MAX_LEAVES = 2n ** 40n;
const UPDATE_BYTES = 2 * (ELEMENT_BYTES + 32);

/** Kinds of batches by the first byte of the payload. 0 is a changelog that no current program emits. */
const BATCH_KINDS = new Map([
  [3, 'batch-append'],
  [4, 'batch-nullify'],
  [5, 'batch-address-append'],
] as const);

/**
 * Decodes an event of the account compression program about a tree.
 *
 * @returns null for an unused tag
 * @throws MalformedBytesError
 */
export function decodeTreeEvent(payload: Buffer): TreeEvent | null {
  const input = new BorshReader(payload);
  const tag = input.u8();
  if (tag === 1) return readLeavesNullified(input);
  if (tag === 2) return readAddressesInserted(input);
  const kind = BATCH_KINDS.get(tag as 3 | 4 | 5);
  return kind ? readBatch(input, kind) : null;
}

function readLeavesNullified(input: BorshReader): LeavesNullifiedEvent {
  const tree = input.pubkey();
  const leafIndices = input.vector(8, () => input.u64());
  return { kind: 'leaves-nullified', tree, leafIndices, seq: input.u64() };
}

function readAddressesInserted(input: BorshReader): AddressesInsertedEvent {
  const tree = input.pubkey();
  const updates = input.vector(UPDATE_BYTES, () => ({
    low: readElement(input),
    lowHash: input.hash(),
    high: readElement(input),
    highHash: input.hash(),
  }));
  return { kind: 'addresses-inserted', tree, updates, seq: input.u64() };
}

/** value 32 | next index u64 | next value 32 | index u64 */
function readElement(input: BorshReader): RawElement {
  return { value: input.hash(), nextIndex: readIndex(input), nextValue: input.hash(), index: readIndex(input) };
}

function readIndex(input: BorshReader): number {
  const index = input.u64();
  if (index >= MAX_LEAVES) throw new MalformedBytesError(`leaf index ${index}`);
  return Number(index);
}

/**
 * ```
 * tree 32 | batch index u64 | zkp batch index u64 | zkp batch size u64 | old next index u64 | new next index u64
 * new root 32 | root index u32 | seq u64 | output queue option 32
 * ```
 */
function readBatch(input: BorshReader, kind: BatchEvent['kind']): BatchEvent {
  const tree: Pubkey = input.pubkey();
  const batchIndex = input.u64();
  const zkpBatchIndex = input.u64();
  const zkpBatchSize = input.u64();
  const oldNextIndex = input.u64();
  const newNextIndex = input.u64();
  const newRoot: Hash = input.hash();
  const rootIndex = input.u32();
  const seq = input.u64();
  const outputQueue = input.option(() => input.pubkey());
  if (newNextIndex < oldNextIndex) throw new MalformedBytesError('the end of a batch is before its start');
  return {
    kind,
    tree,
    batchIndex,
    zkpBatchIndex,
    zkpBatchSize,
    oldNextIndex,
    newNextIndex,
    newRoot,
    rootIndex,
    seq,
    outputQueue,
  };
}
