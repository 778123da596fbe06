import { foldTreeChanges } from '@fresnel/domain/state';
import { JsonCursor, LIVE_PROGRAMS, MalformedBlockError, parseBlock, TransactionParser } from '@fresnel/domain/events';
import { messageOf } from '@fresnel/domain/primitives';
import { blockLinkOf } from '@fresnel/domain/chain';
import { parseSlot } from '@fresnel/domain/state';
import { generateLedger } from '@fresnel/ledger-generator';
import { fuzz, hostileBytes, hostileJson } from '@fresnel/testing/generic';
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

const BLOCKS = [...generateLedger({ seed: 5, slots: 20, transactionsPerSlot: 2 })];
const SLOTS = readGeneratedSlots(BLOCKS);
const GENERATED = { numRuns: 20, seed: 5 };
const SLOT_MESSAGES: SlotEventsMessage[] = [
  ...SLOTS.map((events) => ({
    kind: 'slot' as const,
    events,
    isOfRange: false,
  })),
  ...fc.sample(anySlotEventsMessage, GENERATED),
];
const TREE_MESSAGES: TreeUpdatesMessage[] = [
  ...SLOTS.flatMap(foldTreeChanges).map((update) => ({
    ...{
      kind: 'update' as const,
      update,
      previousChange: null,
      silentBlocks: [],
      isRepublished: false,
    },
  })),
  ...fc.sample(anyTreeUpdatesMessage, GENERATED),
];

/** How a bug says what it is. The codec wraps all errors, also those. */
const BUG = /Cannot |is not a function|is not iterable|undefined/;

function decode<Message>(codec: MessageCodec<Message>, bytes: Buffer): Message {
  try {
    return codec.decode(bytes, codec.version);
  } catch (error) {
    expect(messageOf(error)).not.toMatch(BUG);
    throw error;
  }
}

function expectReadable<Message>(codec: MessageCodec<Message>, messages: readonly Message[]): void {
  fuzz(
    hostileBytes(messages.map((message) => codec.encode(message))),
    (bytes) => {
      const message = decode(codec, bytes);
      expect(codec.decode(codec.encode(message), codec.version)).toEqual(message);
    },
    { throws: [UnreadableMessageError] },
  );
}

describe('the bytes of a record', () => {
  it('are a message of slot-events that is encoded to the same, or rejected', () => {
    expectReadable(SLOT_EVENTS.codec, SLOT_MESSAGES);
  });

  it('are a message of tree-updates that is encoded to the same, or rejected', () => {
    expectReadable(TREE_UPDATES.codec, TREE_MESSAGES);
  });
});

describe('the JSON of a block', () => {
  const parser = new TransactionParser(LIVE_PROGRAMS);

  const withNumbers = (number: string) =>
    ['blockTime', 'blockHeight'].map((name) =>
      BLOCKS[0].json.replace(new RegExp(`"${name}":\\d+`), `"${name}":${number}`),
    );

  it('becomes a message, or is rejected', () => {
    fuzz(
      hostileJson(BLOCKS.map(({ json }) => json)),
      (json) => {
        const block = parseBlock(new JsonCursor(json));
        const { blockHeight, signatures } = block;
        const blockTime = block.blockTime ?? 0;
        const rest = {
          isFirst: false,
          trees: [],
          blockTime,
          blockHeight,
          signatures,
        };
        const events = {
          ...blockLinkOf(block),
          ...parseSlot(block, blockTime, parser),
          ...rest,
        };
        const message: SlotEventsMessage = {
          kind: 'slot',
          events,
          isOfRange: false,
        };
        const read = SLOT_EVENTS.codec.decode(SLOT_EVENTS.codec.encode(message), 1);
        expect(SLOT_EVENTS.codec.decode(SLOT_EVENTS.codec.encode(read), 1)).toEqual(read);
      },
      { throws: [MalformedBlockError], known: ['1.5', '1e21', '-1'].flatMap(withNumbers) },
    );
  });
});
