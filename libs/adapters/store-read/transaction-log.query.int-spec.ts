import { ProjectionStore } from '@fresnel/adapters/store-write';
import { toSlot } from '@fresnel/domain/primitives';
import { PATIENCE_MS } from '@fresnel/testing/generic';
import { slotUpdate, testHash, testSignature } from '@fresnel/testing/slots';
import { createTestDatabase, explainStatement, type TestDatabase } from '@fresnel/testing/store';
import { Reader } from './reader';
import { findIndexIdentity, readTransactionLog, TRANSACTION_LOG, type TransactionOfLog } from './transaction-log.query';

const transaction = (slot: number, index: number, seed: number) => ({
  signature: testSignature(seed),
  index,
  json: `{"slot":${slot},"blockTime":${slot * 100},"meta":{"err":null,"n":18446744073709551615}}`,
  events: [],
});
/** Facts of transactions. */
const stored = (...transactions: ReturnType<typeof transaction>[]) => ({
  transactions: transactions.map((each) => ({ transaction: each, created: [testHash(each.index)], consumed: [] })),
});
const letter = (slot: number, index: number, seed: number) => ({
  ...transaction(slot, index, seed),
  reasons: ['order-unknown: x'],
});

describe('readTransactionLog', () => {
  let database: TestDatabase;
  let reader: Reader;
  beforeAll(async () => {
    database = await createTestDatabase();
    reader = new Reader({ url: database.url, connections: 1, timeoutMs: PATIENCE_MS, applicationName: 'test' });
    const slots = [
      // In another order than their signatures, which are the ids.
      slotUpdate(10, stored(transaction(10, 1, 9), transaction(10, 5, 3), transaction(10, 7, 6))),
      slotUpdate(11, {}, { deadLetters: [letter(11, 2, 20)] }),
      slotUpdate(12, stored(transaction(12, 4, 30)), { deadLetters: [letter(12, 4, 30), letter(12, 6, 31)] }),
      slotUpdate(13, stored(transaction(13, 0, 40))),
    ];
    await new ProjectionStore(database.dataSource).persistSlots({ slots, chainTip: null, position: null });
  });
  afterAll(async () => {
    await reader.close();
    await database.drop();
  });

  async function readAll(from: number, to: number, limit: number): Promise<TransactionOfLog[][]> {
    const pages: TransactionOfLog[][] = [];
    for (let next: number | null = from; next !== null;) {
      const page = await readTransactionLog(reader, { from: toSlot(next), to: toSlot(to) }, limit);
      pages.push(page.transactions);
      next = page.next;
    }
    return pages;
  }
  const placesOf = (pages: TransactionOfLog[][]) => pages.map((page) => page.map(({ slot, index }) => [slot, index]));

  it.each([
    [
      1,
      [
        [
          [10, 1],
          [10, 5],
          [10, 7],
        ],
        [
          [11, 2],
          [12, 4],
          [12, 6],
        ],
        [[13, 0]],
        [],
      ],
    ],
    [
      4,
      [
        [
          [10, 1],
          [10, 5],
          [10, 7],
          [11, 2],
          [12, 4],
          [12, 6],
        ],
        [[13, 0]],
      ],
    ],
    [
      99,
      [
        [
          [10, 1],
          [10, 5],
          [10, 7],
          [11, 2],
          [12, 4],
          [12, 6],
          [13, 0],
        ],
      ],
    ],
  ])('reads whole slots in pages of %d, with dead letters, each once', async (limit, expected) => {
    // prettier-ignore
    expect(placesOf(await readAll(10, 20, limit))).toEqual(expected);
  });

  it('reads a part, with the text and the reasons of each', async () => {
    const [page] = await readAll(12, 12, 99);
    const { json } = transaction(12, 4, 30);
    expect(page).toEqual([
      { slot: 12, index: 4, json, reasons: ['order-unknown: x'] },
      { slot: 12, index: 6, json, reasons: ['order-unknown: x'] },
    ]);
    expect(await readAll(14, 30, 99)).toEqual([[]]);
  });

  it('reads ranges of the primary keys', async () => {
    const { later } = await explainStatement(database.dataSource, TRANSACTION_LOG, [10, 20, 5]);
    expect(later).toMatchObject({ indexes: ['pk_dead_letters', 'pk_transactions'], scannedTables: [] });
  });

  it('says of what chain the index is', async () => {
    expect(await findIndexIdentity(reader)).toEqual({ genesisHash: null, firstSlot: 10, indexedSlot: 13 });
    await new ProjectionStore(database.dataSource).claimChain('genesis');
    expect(await findIndexIdentity(reader)).toMatchObject({ genesisHash: 'genesis' });
  });
});
