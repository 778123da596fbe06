import { type Hash, type Signature } from '@fresnel/domain/primitives';
import { PATIENCE_MS } from '@fresnel/testing/generic';
import {
  createTestDatabase,
  explainStatement,
  fillTransactions,
  insertTransaction,
  setIndexedSlot,
  type TestDatabase,
} from '@fresnel/testing/store';
import { Reader } from './reader';
import {
  findLastTransactionId,
  findTransactionsFrom,
  LAST_TRANSACTION,
  TRANSACTIONS_FROM,
} from './sampled-transactions.query';

const CREATED = [Buffer.alloc(32, 7), Buffer.alloc(32, 8)] as Hash[];

describe('the sample of transactions', () => {
  let database: TestDatabase;
  let reader: Reader;
  beforeAll(async () => {
    database = await createTestDatabase();
    reader = new Reader({ url: database.url, connections: 1, timeoutMs: PATIENCE_MS, applicationName: 'test' });
  });
  afterAll(async () => {
    await reader.close();
    await database.drop();
  });

  it('has the indexed transactions from an id on, with the accounts that they created', async () => {
    expect(await findLastTransactionId(reader)).toBeNull();
    for (const [slot, created] of [
      [5, CREATED],
      [6, []],
      [8, []],
      [9, []],
    ] as const) {
      const signature = Buffer.alloc(64, slot) as Signature;
      await insertTransaction(database.dataSource, {
        signature,
        slot,
        json: '{}',
        consumed: [],
        created: [...created],
      });
    }
    await setIndexedSlot(database.dataSource, 8);
    const slotsFrom = async (slot: number, limit: number) =>
      (await findTransactionsFrom(reader, BigInt(slot) << 16n, limit)).map(({ id }) => Number(id >> 16n));
    expect(await slotsFrom(0, 10)).toEqual([5, 6, 8]);
    expect(await slotsFrom(6, 1)).toEqual([6]);
    expect(await slotsFrom(7, 1)).toEqual([8]);
    expect(Number(((await findLastTransactionId(reader)) ?? 0n) >> 16n)).toBe(8);
    const [{ signature, created }] = await findTransactionsFrom(reader, 0n, 1);
    expect([signature, created]).toEqual([Buffer.alloc(64, 5), CREATED]);
  });

  it('reads the primary key', async () => {
    await fillTransactions(database.dataSource, 20_000);
    for (const [statement, values] of [[TRANSACTIONS_FROM, [1n, 1]] as const, [LAST_TRANSACTION, []] as const]) {
      const { first, later } = await explainStatement(database.dataSource, statement, values);
      for (const plan of [first, later]) {
        expect(plan).toMatchObject({
          indexes: expect.arrayContaining(['pk_transactions']) as string[],
          sortsBeforeLimit: false,
        });
        expect(plan.scannedTables).not.toContain('transactions');
      }
    }
  });
});
