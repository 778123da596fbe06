import { BorshReader, HASH_BYTES, MalformedBytesError } from '@fresnel/domain/primitives';
import {
  type ElementKey,
  type IndexedElement,
  type NullifiedEntry,
  type TreeState,
  type UndoRecord,
} from '@fresnel/domain/trees';
import { option, readHash, readProgress, readSlot, u64, vector, vectorOfBytes, writeProgress } from './borsh-bytes';
import { type RecentBlock } from './tree-store';

/** First byte of a record. */
const VERSION = 1;
/** index (8) · value (32) */
const KEY_BYTES = 8 + HASH_BYTES;
/** key · next index (8) · next value (32) */
const ELEMENT_BYTES = 2 * KEY_BYTES;
/** queue position (8) · leaf index (8) · account hash (32) · transaction hash (32) · nullifier (32) */
const NULLIFIED_BYTES = 8 + 8 + 3 * HASH_BYTES;
/** slot (8) · blockhash (32) · state (1) · changes trees (1) · no parent slot (1) */
const MIN_BLOCK_BYTES = 8 + HASH_BYTES + 3;
/** Their positions are the codes of the states. */
const STATES = ['admitted', 'orphaned', 'refused'] as const;

/** Encodes an undo record. */
export function encodeUndo({ slot, blockhash, before, rewritten, appended, leaves, nullified }: UndoRecord): Buffer {
  return Buffer.concat([
    Buffer.of(VERSION),
    u64(slot),
    blockhash,
    encodeState(before),
    vector(rewritten.map(encodeElement)),
    vector(appended.map(encodeKey)),
    vector(leaves.map(({ leafIndex, hash }) => Buffer.concat([u64(leafIndex), hash]))),
    vector(nullified.map(encodeNullified)),
  ]);
}

/** @throws MalformedBytesError for another version */
export function decodeUndo(bytes: Buffer): UndoRecord {
  const reader = new BorshReader(bytes);
  const version = reader.u8();
  if (version !== VERSION) throw new MalformedBytesError(`version ${version} of an undo record`);
  return {
    slot: readSlot(reader),
    blockhash: readHash(reader),
    before: decodeState(reader),
    rewritten: reader.vector(ELEMENT_BYTES, () => decodeElement(reader)),
    appended: reader.vector(KEY_BYTES, () => decodeKey(reader)),
    leaves: reader.vector(KEY_BYTES, () => ({ leafIndex: Number(reader.u64()), hash: readHash(reader) })),
    nullified: reader.vector(NULLIFIED_BYTES, () => decodeNullified(reader)),
  };
}

/** Encodes the recent blocks of a partition. */
export function encodeBlocks(blocks: readonly RecentBlock[]): Buffer {
  return vector(
    blocks.map(({ slot, blockhash, state, changesTrees, parentSlot }) =>
      Buffer.concat([
        u64(slot),
        blockhash,
        Buffer.of(STATES.indexOf(state), changesTrees ? 1 : 0),
        option(parentSlot === null ? null : u64(parentSlot)),
      ]),
    ),
  );
}

/** @throws MalformedBytesError */
export function decodeBlocks(bytes: Buffer): RecentBlock[] {
  const reader = new BorshReader(bytes);
  return reader.vector(MIN_BLOCK_BYTES, () => ({
    slot: readSlot(reader),
    blockhash: readHash(reader),
    state: readState(reader),
    changesTrees: reader.bool(),
    parentSlot: reader.option(() => readSlot(reader)),
  }));
}

function readState(reader: BorshReader): RecentBlock['state'] {
  const code = reader.u8();
  const state = STATES.at(code);
  if (!state) throw new MalformedBytesError(`state ${code} of a block`);
  return state;
}

function encodeState({ root, seen, changes, quarantineReason, ...state }: TreeState): Buffer {
  const { seq, nextIndex, queueEnd, inputQueueStart, inputQueueEnd, migratedSlot } = state;
  const numbers = [seq, nextIndex, queueEnd, inputQueueStart, inputQueueEnd, migratedSlot];
  const reason = quarantineReason === null ? null : vectorOfBytes(Buffer.from(quarantineReason));
  return Buffer.concat([...numbers.map(u64), writeProgress({ seen, changes }), option(root), option(reason)]);
}

function decodeState(reader: BorshReader): TreeState {
  return {
    seq: reader.u64(),
    nextIndex: Number(reader.u64()),
    queueEnd: reader.u64(),
    inputQueueStart: reader.u64(),
    inputQueueEnd: reader.u64(),
    migratedSlot: readSlot(reader),
    ...readProgress(reader),
    root: reader.option(() => readHash(reader)),
    quarantineReason: reader.option(() => reader.byteVector().toString()),
  };
}

function encodeElement({ nextIndex, nextValue, ...key }: IndexedElement): Buffer {
  return Buffer.concat([encodeKey(key), u64(nextIndex), nextValue]);
}

function decodeElement(reader: BorshReader): IndexedElement {
  return { ...decodeKey(reader), nextIndex: Number(reader.u64()), nextValue: readHash(reader) };
}

function encodeKey({ index, value }: ElementKey): Buffer {
  return Buffer.concat([u64(index), value]);
}

function decodeKey(reader: BorshReader): ElementKey {
  return { index: Number(reader.u64()), value: readHash(reader) };
}

function encodeNullified({ queueIndex, leafIndex, hash, txHash, nullifier }: NullifiedEntry): Buffer {
  return Buffer.concat([u64(queueIndex), u64(leafIndex), hash, txHash, nullifier]);
}

function decodeNullified(reader: BorshReader): NullifiedEntry {
  return {
    queueIndex: reader.u64(),
    leafIndex: Number(reader.u64()),
    hash: readHash(reader),
    txHash: readHash(reader),
    nullifier: readHash(reader),
  };
}
