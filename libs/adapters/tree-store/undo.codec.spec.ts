import { type Hash, MAX_U64, toSlot, ZERO_HASH } from '@fresnel/domain/primitives';
import { type IndexedElement, type UndoRecord } from '@fresnel/domain/trees';
import fc from 'fast-check';
import { decodeBlocks, decodeUndo, encodeBlocks, encodeUndo } from './undo.codec';

const record = <Model>(model: { [Key in keyof Model]: fc.Arbitrary<Model[Key]> }): fc.Arbitrary<Model> =>
  fc.record<Model>(model, { noNullPrototype: true });
const hash = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes) as Hash);
const u64 = fc.bigInt(0n, MAX_U64);
const slot = fc.maxSafeNat().map(toSlot);
const index = fc.maxSafeNat();

const element: fc.Arbitrary<IndexedElement> = record({ index, value: hash, nextIndex: index, nextValue: hash });
const undo: fc.Arbitrary<UndoRecord> = record({
  slot,
  blockhash: hash,
  before: record({
    seq: u64,
    nextIndex: index,
    root: fc.option(hash),
    queueEnd: u64,
    inputQueueStart: u64,
    inputQueueEnd: u64,
    migratedSlot: slot,
    seen: record({ seq: u64, queueEnd: u64, inputQueueEnd: u64, migratedSlot: slot }),
    quarantineReason: fc.option(fc.string({ unit: 'grapheme' })),
    changes: record({ count: index, lastSlot: slot }),
  }),
  rewritten: fc.array(element, { maxLength: 4 }),
  appended: fc.array(record({ index, value: hash }), { maxLength: 4 }),
  leaves: fc.array(record({ leafIndex: index, hash }), { maxLength: 4 }),
  nullified: fc.array(record({ queueIndex: u64, leafIndex: index, hash, txHash: hash, nullifier: hash }), {
    maxLength: 4,
  }),
});
const blocks = fc.array(
  record({
    slot,
    blockhash: hash,
    state: fc.constantFrom('admitted' as const, 'orphaned' as const, 'refused' as const),
    changesTrees: fc.boolean(),
    parentSlot: fc.option(slot),
  }),
  { maxLength: 4 },
);

describe('the encoding of undo records and blocks', () => {
  it('preserves undo records', () => {
    fc.assert(
      fc.property(undo, (given) => {
        expect(decodeUndo(encodeUndo(given))).toStrictEqual(given);
      }),
    );
  });

  it('preserves blocks', () => {
    fc.assert(
      fc.property(blocks, (given) => {
        expect(decodeBlocks(encodeBlocks(given))).toStrictEqual(given);
      }),
    );
  });

  it('rejects an unknown state of a block', () => {
    const block = {
      slot: toSlot(7),
      blockhash: ZERO_HASH,
      parentSlot: null,
      state: 'refused' as const,
      changesTrees: true,
    };
    const bytes = encodeBlocks([block]);
    bytes[4 + 8 + 32] = 3;
    expect(() => decodeBlocks(bytes)).toThrow('state 3');
  });

  it('rejects other versions and truncated records', () => {
    fc.assert(
      fc.property(undo, (given) => {
        const bytes = encodeUndo(given);
        expect(() => decodeUndo(Buffer.concat([Buffer.of(2), bytes.subarray(1)]))).toThrow('version 2');
        expect(() => decodeUndo(bytes.subarray(0, -1))).toThrow();
      }),
    );
  });
});
