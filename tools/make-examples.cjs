// Records an example message of each shape, in the current schema version: `npm run proto:examples`. Existing examples are
// kept, because other versions of Fresnel have written them.

require('./register.cjs');
const { existsSync, mkdirSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { SLOT_EVENTS, TREE_UPDATES } = require('../libs/contracts/messages/index.ts');
const { blockLinkOf, blockRefOf, sparseBlock } = require('../libs/domain/chain/index.ts');
const { foldTreeChanges } = require('../libs/domain/state/index.ts');
const { generateLedger } = require('../libs/ledger-generator/index.ts');
const { shapesOf, toPlainMessage } = require('../libs/testing/generic/index.ts');
const { readGeneratedSlots } = require('../libs/testing/ledger/index.ts');

const FOLDER = join(__dirname, '..', 'libs', 'contracts', 'messages', 'examples');
const OPTIONS = {
  seed: 20_261_121,
  slots: 150,
  transactionsPerSlot: 2,
  weights: { truncatedInstruction: 2, migrateLeaves: 2 },
};

function main() {
  const slots = readGeneratedSlots([...generateLedger(OPTIONS)]);
  const [{ slot, blockhash, parentSlot, parentBlockhash }] = slots;
  const [first, second] = slots.map(blockLinkOf);
  const parent = { slot: parentSlot, blockhash: parentBlockhash };
  const adopted = { kind: 'slot-adopted', slot, blockhash };
  const reverted = [
    { kind: 'slot-reverted', slot, blockhash },
    { kind: 'slot-reverted', slot, blockhash, forkPoint: parent },
  ];
  record(SLOT_EVENTS, [
    ...smallestFirst(
      slots.map((events, at) => ({
        kind: 'slot',
        events: withSignatures(events, at),
        isOfRange: false,
        ...(at % 2 === 0 ? { previousChange: parent } : {}),
      })),
    ),
    { kind: 'tip', slot, seenAt: new Date('2026-11-21T10:20:30.456Z') },
    ...reverted,
    adopted,
    { kind: 'slot', events: sparse(slots[0]), isOfRange: false },
  ]);
  const updates = smallestFirst(
    slots.flatMap(foldTreeChanges).map((update, at) => ({
      kind: 'update',
      update,
      previousChange: at % 2 === 0 ? parent : null,
      silentBlocks: at % 3 === 0 ? [parent] : [],
      isRepublished: at % 2 === 0,
    })),
  );
  record(TREE_UPDATES, [
    ...updates,
    { kind: 'watermark', ...first, previousChange: null, silentBlocks: [], changesTrees: true },
    { kind: 'watermark', ...second, previousChange: parent, silentBlocks: [blockRefOf(first)], changesTrees: false },
    ...reverted,
    adopted,
  ]);
}

/**
 * The slot as a history source gives it, at the end of a range.
 *
 * @param {import('../libs/domain/state').SlotEvents} events
 */
function sparse(events) {
  const { slot, parentSlot } = events;
  const link = { ...sparseBlock(slot), parentSlot, parentBlockhash: sparseBlock(parentSlot).blockhash };
  const attested = { from: parentSlot, source: 'history.example', transactions: events.transactions.length };
  return { ...events, ...link, blockHeight: null, isFirst: false, signatures: null, attested };
}

/**
 * Half of the examples have the signatures of all transactions.
 *
 * @param {import('../libs/domain/state').SlotEvents} events
 * @param {number} at
 */
function withSignatures(events, at) {
  return at % 2 === 0 ? events : { ...events, signatures: null };
}

/**
 * @template Message
 * @param {Message[]} messages
 */
function smallestFirst(messages) {
  return messages.sort((a, b) => textOf(a).length - textOf(b).length);
}

/** @param {unknown} message */
function textOf(message) {
  return `${JSON.stringify(toPlainMessage(message), null, 1)}\n`;
}

/**
 * Writes each message with a field or variant that no earlier message has.
 *
 * @template {{ kind: string }} Message
 * @param {import('../libs/contracts/messages').Topic<Message>} topic
 * @param {Message[]} messages
 */
function record({ name, codec }, messages) {
  const folder = join(FOLDER, name, String(codec.version));
  mkdirSync(folder, { recursive: true });
  const shown = new Set();
  let count = 0;
  for (const message of messages) {
    const shapes = shapesOf(message);
    if (shapes.every((shape) => shown.has(shape))) continue;
    for (const shape of shapes) shown.add(shape);
    const file = join(folder, `${String(++count).padStart(2, '0')}-${message.kind}`);
    if (existsSync(`${file}.bin`)) continue;
    writeFileSync(`${file}.bin`, codec.encode(message));
    writeFileSync(`${file}.json`, textOf(message));
  }
}

main();
