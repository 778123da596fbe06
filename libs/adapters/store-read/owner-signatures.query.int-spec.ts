import { firstTransactionId } from '@fresnel/adapters/store-schema';
import { type Pubkey, type Signature } from '@fresnel/domain/primitives';
import { PATIENCE_MS } from '@fresnel/testing/generic';
import {
  createTestDatabase,
  explainStatement,
  filledKey,
  fillSignatures,
  fillTransactions,
  insertSignatures,
  setIndexedSlot,
  type TestDatabase,
} from '@fresnel/testing/store';
import { NothingIndexedError } from './errors';
import {
  findOwnerSignatures,
  findTokenOwnerSignatures,
  OWNER_SIGNATURES,
  TOKEN_OWNER_SIGNATURES,
} from './owner-signatures.query';
import { Reader } from './reader';
import { type SignaturePosition } from './signature-page';

const signature = (seed: number) => Buffer.alloc(64, seed) as Signature;
const OWNER = Buffer.alloc(32, 0xb1) as Pubkey;
const OTHER = Buffer.alloc(32, 0xb2) as Pubkey;

/** Slot and first byte of the signature, in the expected order. */
const NEWEST_FIRST = [
  [30, 0x05],
  [20, 0xff],
  [20, 0x80],
  [20, 0x00],
  [10, 0x07],
  [0, 0x01],
] as const;

const at = (slot: number, seed: number): SignaturePosition => ({ slot: BigInt(slot), signature: signature(seed) });

describe.each([
  ['findOwnerSignatures', findOwnerSignatures, OWNER_SIGNATURES, 'owner_signatures'],
  ['findTokenOwnerSignatures', findTokenOwnerSignatures, TOKEN_OWNER_SIGNATURES, 'token_owner_signatures'],
] as const)('%s', (_, find, statement, table) => {
  let database: TestDatabase;
  let reader: Reader;
  beforeAll(async () => {
    database = await createTestDatabase();
    reader = new Reader({ url: database.url, connections: 1, timeoutMs: PATIENCE_MS, applicationName: 'test' });
    const { dataSource } = database;
    await setIndexedSlot(dataSource, 77);
    const rows = NEWEST_FIRST.map(([slot, seed]) => ({ slot, signature: signature(seed), blockTime: slot * 10 }));
    await insertSignatures(dataSource, table, OWNER, rows.toReversed());
    await insertSignatures(dataSource, table, OTHER, [{ slot: 25, signature: signature(0x06) }]);
    await fillTransactions(dataSource, 30_000);
    await fillSignatures(dataSource, table, 30_000, 10);
  });
  afterAll(async () => {
    await reader.close();
    await database.drop();
  });

  async function list(limit: number, after: SignaturePosition | null, owner = OWNER) {
    const { slot, items } = await find(reader, owner, limit, after);
    expect(slot).toBe(77);
    return items.map((item) => [item.slot, item.signature[0]]);
  }

  it('lists newest slots first, then largest signatures, with their block times', async () => {
    const { slot, items } = await find(reader, OWNER, 1_000, null);
    expect(slot).toBe(77);
    expect(items).toEqual(
      NEWEST_FIRST.map(([slot, seed]) => ({ slot, signature: signature(seed), blockTime: slot * 10 })),
    );
  });

  it.each([1, 2, 3, 4, 5, 6, 7])('returns every item once in pages of %i', async (limit) => {
    const listed: number[][] = [];
    for (let after: SignaturePosition | null = null; ;) {
      const page = await list(limit, after);
      listed.push(...page);
      if (page.length < limit) break;
      const [slot, seed] = page[page.length - 1];
      after = at(slot, seed);
    }
    expect(listed).toEqual(NEWEST_FIRST);
  });

  it.each([
    ['with limit 0', 0, null, []],
    ['after one of several items of a slot', 2, at(20, 0xff), NEWEST_FIRST.slice(2, 4)],
    ['after the last item of a slot', 2, at(20, 0x00), NEWEST_FIRST.slice(4)],
    ['after an item that does not exist', 2, at(20, 0x81), NEWEST_FIRST.slice(2, 4)],
    ['after a slot that does not exist', 9, at(15, 0x00), NEWEST_FIRST.slice(4)],
    ['after the last item', 9, at(0, 0x01), []],
    ['after the lowest possible position', 9, at(0, 0x00), []],
    ['after the highest possible position', 9, { slot: 2n ** 63n - 1n, signature: signature(0xff) }, NEWEST_FIRST],
  ])('returns a page %s', async (_, limit, after, expected) => {
    expect(await list(limit, after)).toEqual(expected);
  });

  it('returns an empty page for an unknown owner', async () => {
    expect(await list(10, null, Buffer.alloc(32, 0xbb) as Pubkey)).toEqual([]);
    expect(await list(10, null, OTHER)).toEqual([[25, 0x06]]);
  });

  it('throws before the first slot is indexed', async () => {
    await setIndexedSlot(database.dataSource, null);
    await expect(find(reader, OWNER, 10, null)).rejects.toThrow(NothingIndexedError);
    await setIndexedSlot(database.dataSource, 77);
  });

  it.each([
    ['first', 2n ** 40n],
    ['hundredth', 20_000n],
  ])('reads the %s page as one range of the index', async (_, slot) => {
    const values = [firstTransactionId(slot), signature(0xff), 10, filledKey(0)];
    const { first, later } = await explainStatement(database.dataSource, statement, values);
    for (const plan of [first, later]) {
      expect(plan.indexes).toEqual([`pk_${table}`, 'pk_transactions']);
      // The position is found among the transactions of its slot.
      expect(plan.filteredIndexes).toEqual(['pk_transactions']);
      expect(plan.scannedTables).toEqual(['indexer_state']);
      expect(plan.sortsBeforeLimit).toBe(false);
    }
  });
});
