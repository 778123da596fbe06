import { ProjectionStore, type SlotChange, type SlotUpdate } from '@fresnel/adapters/store-write';
import { type SlotEventsMessage } from '@fresnel/contracts/messages';
import { blockKey, type BlockRef } from '@fresnel/domain/chain';
import { toHash, toSlot } from '@fresnel/domain/primitives';
import { range } from '@fresnel/testing/chain';
import { createdAccount, slotUpdate, testHash } from '@fresnel/testing/slots';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';
import { ModelTables } from './model-tables';
import { SeededRandom } from './random';

const SEQUENCES = 8;
const CHANGES = 40;
const FIRST_SLOT = 10;

/** A block of a random tree of blocks. Some have the transaction of another block, as after a fork. */
function blockAt(slot: number, name: number, parent: SlotUpdate | null, transaction: number): SlotUpdate {
  const links = parent && { parentSlot: parent.events.slot, parentBlockhash: parent.events.blockhash };
  const update = slotUpdate(
    slot,
    { created: [createdAccount(transaction, 5n, transaction)] },
    {
      blockhash: testHash(name),
      isFirst: !parent,
      ...links,
    },
  );
  const transactions = update.facts.transactions.map(({ transaction: one }) => one);
  return { ...update, events: { ...update.events, transactions } };
}

/** A chain of blocks, and blocks of other branches. */
function drawBlocks(random: SeededRandom): SlotUpdate[] {
  const blocks = [blockAt(FIRST_SLOT, 1, null, 1)];
  for (const name of range(2, 16)) {
    const parent = blocks[random.chance(0.7) ? blocks.length - 1 : random.below(blocks.length)];
    const transaction = random.chance(0.2) ? 1 + random.below(name) : name;
    blocks.push(blockAt(parent.events.slot + 1 + random.below(2), name, parent, transaction));
  }
  return blocks;
}

/** Blocks in about their order, some of them again, and reverts and adoptions of some. */
function drawChanges(random: SeededRandom): SlotChange[] {
  const blocks = drawBlocks(random);
  const changes: SlotChange[] = [blocks[0]];
  const reverted: BlockRef[] = [];
  for (let newest = 1; changes.length < CHANGES;) {
    const kind = random.next();
    const near = blocks[Math.max(newest - random.below(4), 1)];
    const { slot, blockhash } = near.events;
    if (kind < 0.5) changes.push(blocks[newest < blocks.length ? newest++ : random.below(blocks.length)]);
    else if (kind < 0.7) changes.push(near);
    else if (kind < 0.9) changes.push({ reverted: { slot, blockhash } });
    else if (reverted.length > 0) changes.push({ adopted: random.pick(reverted) });
    if (kind >= 0.7 && kind < 0.9) reverted.push({ slot, blockhash });
    newest = Math.min(newest, blocks.length - 1);
  }
  return changes;
}

function messageOf(change: SlotChange): SlotEventsMessage {
  if ('reverted' in change) return { kind: 'slot-reverted', ...change.reverted };
  if ('adopted' in change) return { kind: 'slot-adopted', ...change.adopted };
  return { kind: 'slot', events: change.events, isOfRange: false };
}

const describeBlocks = (blocks: Iterable<BlockRef>) =>
  [...blocks].map(({ slot, blockhash }) => `${slot} ${blockhash[0]}`).sort();

// The model stands for the tables where a simulation has no database.
describe('ModelTables', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterEach(() => database.empty());
  afterAll(() => database.drop());

  async function readTables(store: ProjectionStore) {
    const all = { from: 0, to: Number.MAX_SAFE_INTEGER, limit: 1_000 };
    const rows = await database.dataSource.query<{ slot: string; blockhash: Buffer }[]>(
      'SELECT slot, blockhash FROM blocks',
    );
    return {
      indexed: describeBlocks(await store.findIndexedBlocks(all)),
      stored: describeBlocks(rows.map((row) => ({ slot: toSlot(Number(row.slot)), blockhash: toHash(row.blockhash) }))),
      orphaned: describeBlocks(await store.findOrphanedBlocks(0)),
    };
  }

  it.each(range(1, SEQUENCES))('has the same blocks as the tables after each change of sequence %d', async (seed) => {
    const changes = drawChanges(new SeededRandom(seed));
    const [model, store] = [new ModelTables(), new ProjectionStore(database.dataSource)];
    const { epoch } = model.claim(0);
    for (const [at, change] of changes.entries()) {
      const batch = { partition: 0, from: BigInt(at), to: BigInt(at + 1), isFollowed: false };
      model.apply({ ...batch, messages: [messageOf(change)] }, epoch);
      await store.persistSlots({ slots: [change], chainTip: null, position: null });
      const found = {
        indexed: describeBlocks(model.indexed),
        stored: describeBlocks(model.blocks.values()),
        orphaned: describeBlocks(model.orphaned.values()),
      };
      const history = changes.slice(0, at + 1).map(describeChange);
      expect({ history, ...found }).toEqual({ history, ...(await readTables(store)) });
      const onBranch = changes.flatMap((one) => ('events' in one && model.isIndexed(one.events) ? [one.events] : []));
      expect(new Set(onBranch.map(blockKey)).size).toBe(found.indexed.length);
    }
  });
});

function describeChange(change: SlotChange): string {
  if ('reverted' in change) return `revert ${describeBlocks([change.reverted]).join()}`;
  if ('adopted' in change) return `adopt ${describeBlocks([change.adopted]).join()}`;
  const { events } = change;
  return `block ${describeBlocks([events]).join()} after ${events.parentBlockhash[0]}, transaction ${events.transactions[0].signature[0]}`;
}
