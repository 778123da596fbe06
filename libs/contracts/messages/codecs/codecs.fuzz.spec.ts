import { messageOf } from '@fresnel/domain/primitives';
import { foldTreeChanges } from '@fresnel/domain/state';
import { generateLedger } from '@fresnel/ledger-generator';
import { fuzz, hostileBytes } from '@fresnel/testing/generic';
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

const SLOTS = readGeneratedSlots([...generateLedger({ seed: 5, slots: 20, transactionsPerSlot: 2 })]);
const GENERATED = { numRuns: 20, seed: 5 };
const SLOT_MESSAGES: SlotEventsMessage[] = [
  ...SLOTS.map((events) => ({ kind: 'slot' as const, events, isOfRange: false })),
  ...fc.sample(anySlotEventsMessage, GENERATED),
];
const TREE_MESSAGES: TreeUpdatesMessage[] = [
  ...SLOTS.flatMap(foldTreeChanges).map((update) => ({
    ...{ kind: 'update' as const, update, previousChange: null, silentBlocks: [], isRepublished: false },
  })),
  ...fc.sample(anyTreeUpdatesMessage, GENERATED),
];

/** How a bug says what it is. The codec wraps all errors, also those. */
const BUG = /Cannot |is not a function|is not iterable|undefined/;

function expectReadable<Message>(codec: MessageCodec<Message>, messages: readonly Message[]): void {
  fuzz(
    hostileBytes(messages.map((message) => codec.encode(message))),
    (bytes) => {
      try {
        codec.decode(bytes, codec.version);
      } catch (error) {
        expect(messageOf(error)).not.toMatch(BUG);
        throw error;
      }
    },
    { throws: [UnreadableMessageError] },
  );
}

describe('the bytes of a record', () => {
  it('are a message of slot-events, or rejected with UnreadableMessageError', () => {
    expectReadable(SLOT_EVENTS.codec, SLOT_MESSAGES);
  });

  it('are a message of tree-updates, or rejected with UnreadableMessageError', () => {
    expectReadable(TREE_UPDATES.codec, TREE_MESSAGES);
  });
});
