import { generateLedger } from '@fresnel/ledger-generator';
import { type Bench } from '@fresnel/testing/generic';
import { readGeneratedSlots } from '@fresnel/testing/ledger';
import { SLOT_EVENTS, type SlotEventsMessage } from '../index';

const SLOTS = 400;

const slots = readGeneratedSlots([...generateLedger({ seed: 5, slots: SLOTS, transactionsPerSlot: 8 })]);
const messages = slots.map((events): SlotEventsMessage => ({ kind: 'slot', events, isOfRange: false }));
const { codec } = SLOT_EVENTS;
const records = messages.map((message) => codec.encode(message));
const texts = messages.map((message) => JSON.stringify(message, toJson));
/** Size of the transaction texts, which are the same in any format. */
const nodeBytes = slots.flatMap(({ transactions }) => transactions).reduce((sum, { json }) => sum + json.length, 0);

export const bench: Bench = {
  title: 'Messages of slot-events to bytes and back',
  data:
    `${SLOTS} generated slots with 8 transactions each: ${bytesPerMessage(records)} bytes a message, ` +
    `${bytesPerMessage(texts)} as JSON, of which ${Math.round(nodeBytes / SLOTS)} are the node’s own text`,
  unit: 'messages',
  prepare: () =>
    Promise.resolve({
      ways: [
        { name: 'encode', run: () => count(messages, (message) => codec.encode(message)) },
        { name: 'decode', run: () => count(records, (record) => codec.decode(record, codec.version)) },
        {
          name: 'encode, JSON with bytes in hex',
          run: () => count(messages, (message) => Buffer.from(JSON.stringify(message, toJson))),
        },
        {
          name: 'decode, JSON without checking anything',
          run: () => count(texts, (text) => JSON.parse(text) as unknown),
        },
      ],
    }),
};

function count<Item>(items: readonly Item[], work: (item: Item) => unknown): Promise<number> {
  for (const item of items) work(item);
  return Promise.resolve(items.length);
}

function bytesPerMessage(items: readonly (Buffer | string)[]): number {
  return Math.round(items.reduce((sum, item) => sum + Buffer.byteLength(item), 0) / items.length);
}

/** `JSON.stringify` calls `toJSON` of a Buffer first, so this receives its result. */
function toJson(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  const isBytes = typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer';
  return isBytes && 'data' in value ? Buffer.from(value.data as number[]).toString('hex') : value;
}
