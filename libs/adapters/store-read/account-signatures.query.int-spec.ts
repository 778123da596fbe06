import { type Hash, type Signature } from '@fresnel/domain/primitives';
import { PATIENCE_MS } from '@fresnel/testing/generic';
import {
  createTestDatabase,
  explainStatement,
  fillAccounts,
  filledKey,
  fillTransactions,
  insertAccount,
  insertTransaction,
  insertTree,
  setIndexedSlot,
  type TestDatabase,
} from '@fresnel/testing/store';
import { firstTransactionId } from '@fresnel/adapters/store-schema';
import {
  ADDRESS_SIGNATURES,
  findAccountSignatures,
  findAddressSignatures,
  findLatestSignatures,
  LATEST_SIGNATURES,
} from './account-signatures.query';
import { NothingIndexedError } from './errors';
import { Reader } from './reader';
import { type SignaturePage, type SignaturePosition } from './signature-page';

const key = (seed: number) => Buffer.alloc(32, seed) as Hash;
/** Ids of test transactions follow from the slot if the signature begins with zeros. */
const signature = (slot: number) => Buffer.alloc(64, slot).fill(0, 0, 2) as Signature;
const ADDRESS = key(0x51);
const [FIRST, SECOND, LAST] = [key(0x21), key(0x22), key(0x23)];

const slotsOf = ({ items }: Pick<SignaturePage, 'items'>) => items.map(({ slot }) => slot);

describe('signatures of accounts', () => {
  let database: TestDatabase;
  let reader: Reader;
  beforeAll(async () => {
    database = await createTestDatabase();
    reader = new Reader({ url: database.url, connections: 1, timeoutMs: PATIENCE_MS, applicationName: 'test' });
    const { dataSource } = database;
    await insertTree(dataSource, { tree: key(1), queue: key(2), treeType: 1 });
    const account = { tree: key(1), owner: key(3), leaf_index: 1, lamports: 1, address: ADDRESS };
    // Created in slot 10, updated in 20 and 30, closed in 40; slot 90 is not indexed yet.
    await insertAccount(dataSource, { ...account, hash: FIRST, slot_created: 10, spent_slot: 20 });
    await insertAccount(dataSource, { ...account, hash: SECOND, slot_created: 20, spent_slot: 30 });
    await insertAccount(dataSource, { ...account, hash: LAST, slot_created: 30, spent_slot: 90 });
    for (const slot of [10, 20, 30, 40, 90]) {
      await insertTransaction(dataSource, { signature: signature(slot), slot, json: '{}' });
    }
    await setIndexedSlot(dataSource, 77);
  });
  afterAll(async () => {
    await reader.close();
    await database.drop();
  });

  const listAddress = (address: Hash): Promise<SignaturePage> => findAddressSignatures(reader, address, 10, null);

  it('are those of creation and consumption, newest first', async () => {
    const { slot, items } = await findAccountSignatures(reader, FIRST);
    expect(slot).toBe(77);
    expect(items).toEqual([20, 10].map((slot) => ({ slot, signature: signature(slot), blockTime: slot })));
  });

  it('are one if the same transaction created and consumed the account', async () => {
    const account = { tree: key(1), owner: key(3), leaf_index: 2, lamports: 1, hash: key(0x24) };
    await insertAccount(database.dataSource, { ...account, slot_created: 40, spent_slot: 40 });
    expect(slotsOf(await findAccountSignatures(reader, account.hash))).toEqual([40]);
  });

  it('do not include a consumption that is not indexed yet', async () => {
    expect(slotsOf(await findAccountSignatures(reader, LAST))).toEqual([30]);
    expect(slotsOf(await listAddress(ADDRESS))).toEqual([30, 20, 10]);
    await setIndexedSlot(database.dataSource, 90);
    expect(slotsOf(await findAccountSignatures(reader, LAST))).toEqual([90, 30]);
    expect(slotsOf(await listAddress(ADDRESS))).toEqual([90, 30, 20, 10]);
    await setIndexedSlot(database.dataSource, 77);
  });

  it('of an unknown account or address are an empty list', async () => {
    expect(await findAccountSignatures(reader, key(9))).toEqual({ slot: 77, items: [] });
    expect(await listAddress(key(9))).toEqual({ slot: 77, items: [] });
  });

  it.each([
    [
      'findAddressSignatures',
      (limit: number, after: SignaturePosition | null) => findAddressSignatures(reader, ADDRESS, limit, after),
      [90, 30, 20, 10],
    ],
    [
      'findLatestSignatures',
      (limit: number, after: SignaturePosition | null) => findLatestSignatures(reader, limit, after),
      [90, 40, 30, 20, 10],
    ],
  ] as const)('%s returns every transaction once in pages of 1 to 6', async (_, find, expected) => {
    await setIndexedSlot(database.dataSource, 90);
    for (let limit = 1; limit <= 6; limit++) {
      const listed: number[] = [];
      for (let after: SignaturePosition | null = null; ;) {
        const { items }: SignaturePage = await find(limit, after);
        listed.push(...slotsOf({ items }));
        const last = items.at(-1);
        if (!last || items.length < limit) break;
        after = { ...last, slot: BigInt(last.slot) };
      }
      expect(listed).toEqual(expected);
    }
    await setIndexedSlot(database.dataSource, 77);
  });

  it('throws before the first slot is indexed', async () => {
    await setIndexedSlot(database.dataSource, null);
    await expect(findAccountSignatures(reader, FIRST)).rejects.toThrow(NothingIndexedError);
    await expect(findLatestSignatures(reader, 1, null)).rejects.toThrow(NothingIndexedError);
    await setIndexedSlot(database.dataSource, 77);
  });

  it('are read as ranges of indexes', async () => {
    const { dataSource } = database;
    await fillAccounts(dataSource, key(1), 20_000);
    await fillTransactions(dataSource, 20_000);
    const position = [firstTransactionId(15_000n), Buffer.alloc(64, 0xff), 10];
    const plans = [
      await explainStatement(dataSource, ADDRESS_SIGNATURES, [...position, filledKey(14_001)]),
      await explainStatement(dataSource, LATEST_SIGNATURES, position),
    ];
    for (const { scannedTables } of plans.flatMap(({ first, later }) => [first, later])) {
      expect(scannedTables).toEqual(['indexer_state']);
    }
  });
});
