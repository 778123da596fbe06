import { type BorshReader, type Hash, type Slot, toHash, toSlot, u64ToLittleEndian } from '@fresnel/domain/primitives';
import { type TreeState } from '@fresnel/domain/trees';

/*
 * The parts of stored records in Borsh, which `BorshReader` reads: little-endian numbers, vectors with a u32 count, options with a
 * tag byte.
 */

type Progress = Pick<TreeState, 'seen' | 'changes'>;

/** What a tree has seen and changed: seq, end of queue, end of input queue, slot of migration, changes, slot of the last (8 each). */
export function writeProgress({ seen, changes }: Progress): Buffer {
  const numbers = [seen.seq, seen.queueEnd, seen.inputQueueEnd, seen.migratedSlot, changes.count, changes.lastSlot];
  return Buffer.concat(numbers.map(u64));
}

/** @throws MalformedBytesError if the bytes end */
export function readProgress(reader: BorshReader): Progress {
  return {
    seen: {
      seq: reader.u64(),
      queueEnd: reader.u64(),
      inputQueueEnd: reader.u64(),
      migratedSlot: readSlot(reader),
    },
    changes: { count: Number(reader.u64()), lastSlot: readSlot(reader) },
  };
}

/** Copies the bytes, because a slice would keep the whole record in memory. */
export function readHash(reader: BorshReader): Hash {
  return toHash(Buffer.from(reader.hash()));
}

export function readSlot(reader: BorshReader): Slot {
  return toSlot(Number(reader.u64()));
}

export function u64(value: bigint | number): Buffer {
  return u64ToLittleEndian(BigInt(value));
}

export function option(bytes: Buffer | null): Buffer {
  return bytes ? Buffer.concat([Buffer.of(1), bytes]) : Buffer.of(0);
}

export function vector(items: readonly Buffer[]): Buffer {
  return Buffer.concat([count(items.length), ...items]);
}

export function vectorOfBytes(bytes: Buffer): Buffer {
  return Buffer.concat([count(bytes.length), bytes]);
}

function count(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
