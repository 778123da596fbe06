import { type BlockRef, type FindingReason, type HistoryFinding, sparseBlock } from '@fresnel/domain/chain';
import { toSlot } from '@fresnel/domain/primitives';
import { PAGE_BYTES, type TreeInfo } from '@fresnel/domain/trees';
import {
  consumedAccount,
  createdAccount,
  slotUpdate,
  TEST_STATE_TREE,
  testHash,
  testSignature,
} from '@fresnel/testing/slots';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';
import { fillJournal } from '@fresnel/testing/trees';
import { HistoryStore } from './history.store';
import { ProjectionStore } from './projection-store';

describe('HistoryStore', () => {
  let database: TestDatabase;
  let store: HistoryStore;
  beforeAll(async () => {
    database = await createTestDatabase();
    store = new HistoryStore(database.dataSource);
  });
  afterEach(() => database.empty());
  afterAll(() => database.drop());

  const block = (slot: number, hash = slot): BlockRef => ({ slot: toSlot(slot), blockhash: testHash(hash) });

  it('decides the anchor once, and replaces only the one that is named', async () => {
    expect(await store.findAnchor()).toBeNull();
    expect(await store.decideAnchor(block(40), null)).toEqual(block(40));
    expect(await store.decideAnchor(block(50), null)).toEqual(block(40));
    expect(await store.decideAnchor(block(50), block(40, 1))).toEqual(block(40));
    expect(await store.decideAnchor(block(50), block(40))).toEqual(block(50));
    expect(await store.findAnchor()).toEqual(block(50));
  });

  it('knows the newest block, and the times of stored blocks and transactions', async () => {
    expect([await store.findNewestBlock(), await store.findBlockTime(toSlot(99))]).toEqual([null, null]);
    const [sparse, parent] = [sparseBlock(toSlot(10)), sparseBlock(toSlot(9))];
    const attested = { from: toSlot(5), source: 'one', transactions: 0 };
    const link = { ...sparse, parentSlot: parent.slot, parentBlockhash: parent.blockhash, attested };
    const slots = [slotUpdate(10, {}, link)];
    await new ProjectionStore(database.dataSource).persistSlots({ slots, chainTip: null, position: null });
    expect(await store.findNewestBlock()).toEqual(sparse);
    expect(await store.findBlockTime(toSlot(9))).toBeNull();
    expect(await store.findBlockTime(toSlot(10))).toBe(1_000);
    const later = [slotUpdate(20, { created: [createdAccount(1, null, 11)] })];
    await new ProjectionStore(database.dataSource).persistSlots({ slots: later, chainTip: null, position: null });
    await database.dataSource.query(`DELETE FROM blocks`);
    expect(await store.findBlockTime(toSlot(19))).toBeNull();
    expect(await store.findBlockTime(toSlot(30))).toBe(2_000);
  });

  it('lists the dead letters of a range of slots', async () => {
    const letter = { signature: null, index: 3, reasons: ['transaction: no meta'], json: '{"meta":null}' };
    const slots = [10, 11, 12].map((slot) => slotUpdate(slot, {}, { deadLetters: [letter] }));
    await new ProjectionStore(database.dataSource).persistSlots({ slots, chainTip: null, position: null });
    const { reasons, json } = letter;
    expect(await store.listDeadLetters([toSlot(11), toSlot(12)])).toEqual([
      { slot: 11, reasons, json },
      { slot: 12, reasons, json },
    ]);
  });

  describe('of a V1 tree with the accounts 1 to 5', () => {
    const info: TreeInfo = { ...TEST_STATE_TREE, type: 'stateV1', height: 26 };
    const SPEND = consumedAccount(3, 33);
    beforeEach(async () => {
      const created = (seed: number) => ({ created: [createdAccount(seed, null, 10 + seed)] });
      const slots = [
        ...[1, 2, 3, 4, 5].map((seed) => slotUpdate(9 + seed, created(seed), { trees: [info] })),
        slotUpdate(15, { consumed: [SPEND] }, { trees: [info] }),
      ];
      await new ProjectionStore(database.dataSource).persistSlots({ slots, chainTip: null, position: null });
      await fillJournal(database.dataSource, info, 0);
      // Leaf 1 has its account, and 2 and 3 are nullified. Leaf 4 is 9 by now, and 5 is not appended yet.
      await database.dataSource.query(`UPDATE state_trees SET next_index = 5`);
      const leaves = Buffer.concat([0, 1, 0, 0, 9].map(testHash), PAGE_BYTES);
      await database.dataSource.query(
        `INSERT INTO state_tree_pages (tree_digest, page, nodes) VALUES (key_digest($1), 0, $2)`,
        [info.tree, leaves],
      );
    });

    it('finds nullified leaves whose accounts nothing spends, from the oldest one on', async () => {
      expect(await store.findUnspentNullified()).toEqual([{ tree: info.tree, slot: 11 }]);
    });

    it('finds the oldest of some accounts that nothing spends', async () => {
      const among = (...seeds: number[]) => store.findUnspentAmong(seeds.map(testHash));
      expect(await among(3, 8)).toBeNull();
      expect(await among(3, 4, 2, 5)).toBe(11);
    });

    it('finds the slots around a leaf', async () => {
      expect(await store.findSlotsAround(info.tree, 3)).toEqual({ before: 11, after: 12 });
      expect(await store.findSlotsAround(info.tree, 6)).toEqual({ before: 14, after: null });
    });

    it('finds signatures that are not stored', async () => {
      expect(await store.findUnknown([11, 99, 33].map(testSignature))).toEqual([testSignature(99)]);
    });
  });

  it('replaces findings, and remembers that there was a comparison', async () => {
    const finding = (reason: FindingReason, sequenceNumbers: [bigint, bigint] | null): HistoryFinding => {
      return { tree: TEST_STATE_TREE.tree, reason, sequenceNumbers, slots: [toSlot(5), toSlot(9)] };
    };
    const findings = [finding('operations-missing', [3n, 2n ** 63n]), finding('spend-missing', null)];
    expect(await store.isChecked()).toBe(false);
    await database.dataSource.query(`INSERT INTO attested_ranges VALUES (5, 9, 'a source', 7)`);
    await store.saveProblem('the node does not list trees');
    expect(await store.findCoverage()).toMatchObject({ isChecked: false, problem: 'the node does not list trees' });
    await store.saveFindings(findings);
    expect(await store.findCoverage()).toMatchObject({ isChecked: true, problem: null });
    expect([await store.isChecked(), await store.listFindings()]).toEqual([true, findings]);
    await store.saveFindings(findings.slice(1));
    expect(await store.listFindings()).toEqual(findings.slice(1));
  });
});
