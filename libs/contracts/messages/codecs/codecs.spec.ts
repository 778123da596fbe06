import { toSlot, ZERO_HASH } from '@fresnel/domain/primitives';
import { foldTreeChanges } from '@fresnel/domain/state';
import { generateLedger } from '@fresnel/ledger-generator';
import { readGeneratedSlots } from '@fresnel/testing/ledger';
import { anySlotEventsMessage, anyTreeUpdatesMessage } from '@fresnel/testing/messages';
import fc from 'fast-check';
import {
  type MessageCodec,
  SLOT_EVENTS,
  type SlotEventsMessage,
  TREE_UPDATES,
  type TreeUpdatesMessage,
  UnreadableMessageError,
} from '../index';

const SLOT_EVENTS_CODEC = SLOT_EVENTS.codec;
const TREE_UPDATES_CODEC = TREE_UPDATES.codec;

function sendAndReceive<Message>(codec: MessageCodec<Message>, message: Message): Message {
  return codec.decode(codec.encode(message), codec.version);
}

/** Slots of generated ledgers, also with malformed instructions. */
const anySlots = fc
  .record({ seed: fc.nat(), transactionsPerSlot: fc.integer({ min: 1, max: 6 }), hostile: fc.nat(5) })
  .map(({ hostile, ...options }) =>
    readGeneratedSlots([...generateLedger({ ...options, slots: 12, weights: { truncatedInstruction: hostile } })]),
  );

describe('the encoding of a message', () => {
  it('preserves every message of slot-events that the types allow', () => {
    fc.assert(
      fc.property(anySlotEventsMessage, (message) => {
        expect(sendAndReceive(SLOT_EVENTS_CODEC, message)).toStrictEqual(message);
      }),
    );
  });

  it('preserves every message of tree-updates that the types allow', () => {
    fc.assert(
      fc.property(anyTreeUpdatesMessage, (message) => {
        expect(sendAndReceive(TREE_UPDATES_CODEC, message)).toStrictEqual(message);
      }),
    );
  });

  it('preserves the messages of generated ledgers', () => {
    fc.assert(
      fc.property(anySlots, (slots) => {
        for (const events of slots) {
          const message: SlotEventsMessage = { kind: 'slot', events, isOfRange: false };
          expect(sendAndReceive(SLOT_EVENTS_CODEC, message)).toEqual(message);
          for (const update of foldTreeChanges(events)) {
            const change: TreeUpdatesMessage = {
              kind: 'update',
              update,
              previousChange: null,
              silentBlocks: [],
              isRepublished: false,
            };
            expect(sendAndReceive(TREE_UPDATES_CODEC, change)).toEqual(change);
          }
        }
      }),
      // Generating a ledger takes longer than encoding it. The types are covered above.
      { numRuns: 4 },
    );
  });

  it('shares no memory with the decoded message', () => {
    const message: SlotEventsMessage = { kind: 'slot-reverted', slot: toSlot(7), blockhash: ZERO_HASH };
    const bytes = SLOT_EVENTS_CODEC.encode(message);
    const read = SLOT_EVENTS_CODEC.decode(bytes, 1);
    bytes.fill(0xff);
    expect(read).toEqual(message);
  });
});

describe('bytes that are not a message', () => {
  const bytes = SLOT_EVENTS_CODEC.encode({ kind: 'slot-reverted', slot: toSlot(7), blockhash: ZERO_HASH });

  it.each([
    ['no bytes', Buffer.alloc(0)],
    ['an unknown kind', Buffer.from([0x7a, 0])],
    ['a truncated message', bytes.subarray(0, -1)],
    ['a hash that is too short', Buffer.from([0x1a, 4, 0x08, 7, 0x12, 0])],
    ['JSON', Buffer.from('{"kind":"tip"}')],
  ])('are rejected: %s', (_, wrong) => {
    const read = () => SLOT_EVENTS_CODEC.decode(wrong, 1);
    expect(read).toThrow(UnreadableMessageError);
    expect(read).toThrow('not a message of version 1');
  });

  it.each([0, 2, NaN])(
    'are rejected in version %d, which is neither the current nor the previous version',
    (version) => {
      const read = () => SLOT_EVENTS_CODEC.decode(bytes, version);
      expect(read).toThrow(UnreadableMessageError);
    },
  );

  it('are rejected with a permanent error', () => {
    expect(new UnreadableMessageError('').isRetryable).toBe(false);
  });
});

describe.each(['slot-reverted' as const, 'slot-adopted' as const])('a message of kind %s', (kind) => {
  const reverted = { kind, slot: toSlot(7), blockhash: ZERO_HASH };

  it('goes to the partition of the slot, and to every partition of tree-updates', () => {
    expect(SLOT_EVENTS.partitionsOf(reverted, 4)).toEqual([3]);
    expect(TREE_UPDATES.partitionsOf(reverted, 4)).toEqual([0, 1, 2, 3]);
    expect([SLOT_EVENTS.keyOf(reverted), TREE_UPDATES.keyOf(reverted)]).toEqual(['7', '7']);
  });
});
