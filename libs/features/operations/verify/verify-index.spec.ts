import { type SampledTransaction } from '@fresnel/adapters/store-read';
import { poseidon } from '@fresnel/domain/poseidon';
import { type Signature } from '@fresnel/domain/primitives';
import { generatedTrees } from '@fresnel/ledger-generator';
import { type AskIndex } from './ask-index';
import { describeVerification, toVerificationJson } from './describe-verification';
import { sampleTransactions } from './sample-transactions';
import { type VerificationParts, verifyIndex } from './verify-index';

const [{ tree }] = generatedTrees();
const PAUSES = { firstMs: 0, longestMs: 0 };
const never = new AbortController().signal;

/** A table of transactions with these ids. */
function tableOf(ids: readonly bigint[]) {
  const transactions = ids.map((id): SampledTransaction => {
    return { id, signature: Buffer.alloc(64, Number(id % 251n)) as Signature, created: [] };
  });
  return {
    findFrom: (from: bigint, limit: number) =>
      Promise.resolve(transactions.filter(({ id }) => id >= from).slice(0, limit)),
    findLastId: () => Promise.resolve(ids.at(-1) ?? null),
  };
}

async function idsOf(ids: readonly bigint[], count: number, seed: number) {
  const { transactions, isComplete } = await sampleTransactions(tableOf(ids), count, seed);
  const picked: bigint[] = [];
  for await (const { id } of transactions) picked.push(id);
  return { picked, isComplete };
}

describe('the sample', () => {
  const ids = Array.from({ length: 1_000 }, (_, at) => BigInt(at) * 65_536n + 65_536n);

  it('has all transactions if there are no more', async () => {
    expect(await idsOf(ids.slice(0, 5), 5, 1)).toEqual({ picked: ids.slice(0, 5), isComplete: true });
    expect(await idsOf([], 5, 1)).toEqual({ picked: [], isComplete: true });
  });

  it('is repeated by its seed, and has each transaction once', async () => {
    const { picked, isComplete } = await idsOf(ids, 200, 9);
    expect(isComplete).toBe(false);
    expect(new Set(picked).size).toBe(200);
    expect(await idsOf(ids, 200, 9)).toEqual({ picked, isComplete });
    expect((await idsOf(ids, 200, 10)).picked).not.toEqual(picked);
    expect(picked.filter((id) => id > ids[500]).length).toBeGreaterThan(50);
  });

  it('ends if most places lead to the same transactions', async () => {
    const gap = [1n, 2n, 3n, 2n ** 50n];
    expect((await idsOf(gap, 3, 4)).picked).toEqual([2n ** 50n]);
  });
});

describe('the verification', () => {
  const empty = { transaction: {}, compressionInfo: { closedAccounts: [], openedAccounts: [] } };
  const answering =
    (transaction: unknown): AskIndex =>
    (method) =>
      Promise.resolve({ result: method === 'getIndexerSlot' ? 900 : transaction });
  const parts = (changes: Partial<VerificationParts>): VerificationParts => ({
    index: answering(empty),
    against: answering(empty),
    transactions: tableOf([65_536n, 131_072n]),
    addressTrees: () => Promise.resolve([]),
    checkTrees: null,
    roots: null,
    hasher: poseidon,
    onProgress: () => undefined,
    ...changes,
  });
  const verify = (changes: Partial<VerificationParts>, signal = never) =>
    verifyIndex(parts(changes), { samples: 10, seed: 5, pauses: PAUSES }, signal);

  it('reports equal indexes', async () => {
    const report = await verify({});
    expect(report).toMatchObject({ result: 'equal', samples: 2, isComplete: true, isInterrupted: false, seed: 5 });
    expect(report.counts.transactions).toEqual({ asked: 2, differ: 0, notChecked: 0 });
    expect(describeVerification(report)).toBe(
      `              checked  differ  not checked\n` +
        `transactions  2        0       0\n\n` +
        `equal: no difference was found (2 transactions, all of the index)\n`,
    );
  });

  it('reports a transaction that the other index lacks, as of its slot', async () => {
    const report = await verify({ against: answering(null) });
    expect(report).toMatchObject({ result: 'differs' });
    expect(report.differences[0]).toMatchObject({
      kind: 'transactions',
      answers: [
        { by: 'index', slot: 1 },
        { by: 'against', slot: 1, answer: null },
      ],
    });
    expect(describeVerification(report)).toMatch(
      /transactions: getTransactionWithCompressionInfoV2 .*\n {2}the index \(slot 1\): .*\n {2}the other index \(slot 1\): null/,
    );
  });

  it('reports trees, and integers of any size', async () => {
    const outcome = {
      result: 'differs' as const,
      at: 'seq-differs',
      answers: [
        { by: 'index', slot: 3, answer: 2n ** 63n },
        { by: 'node', slot: 4, answer: 1 },
      ] as const,
    };
    const checked = { tree, outcome: { ...outcome, answers: [...outcome.answers] as [never, never] } };
    const report = await verify({ against: null, checkTrees: () => Promise.resolve([checked]) });
    expect(report.result).toBe('differs');
    expect(toVerificationJson(report)).toContain('"9223372036854775808"');
  });

  it('has not checked enough without transactions, or if more than one question in twenty failed', async () => {
    expect(await verify({ transactions: tableOf([]) })).toMatchObject({ result: 'not-checked-enough', samples: 0 });
    const failing: AskIndex = () => Promise.resolve({ failure: 'HTTP 502' });
    const report = await verify({ against: failing });
    expect(report).toMatchObject({
      result: 'not-checked-enough',
      counts: { transactions: { asked: 2, notChecked: 2 } },
    });
    expect(describeVerification(report)).toContain('the other index: HTTP 502');
    expect(await verify({ against: null, index: failing })).toMatchObject({ result: 'not-checked-enough' });
  });

  it('names an answer that cannot be read', async () => {
    const { notChecked } = await verify({ against: answering({ compressionInfo: 5 }) });
    expect(notChecked[0].reason).toBe('the other index: an answer that cannot be read: expected an object');
  });

  it('reports what was seen when it is interrupted', async () => {
    const controller = new AbortController();
    const against: AskIndex = (method) => {
      if (method !== 'getIndexerSlot') controller.abort();
      return answering(empty)(method, [], never);
    };
    expect(await verify({ against }, controller.signal)).toMatchObject({
      result: 'not-checked-enough',
      isInterrupted: true,
    });
  });

  describe('of a list', () => {
    const spent = { hash: 'h', owner: 'o', address: null };
    const closedAccounts = [{ account: { account: spent, nullifier: 'n', txHash: 't' }, optionalTokenData: null }];
    const transaction = { compressionInfo: { closedAccounts, openedAccounts: [] } };
    const items = (count: number) => Array.from({ length: count }, (_, at) => ({ leafIndex: at }));

    /** An index with a list of accounts. @param cursorAt names the item at which a page starts */
    function listing(list: readonly object[], cursorAt: (at: number) => string = String) {
      const asked: unknown[] = [];
      const context = { slot: 900 };
      const ask: AskIndex = (method, params) => {
        if (method === 'getIndexerSlot') return Promise.resolve({ result: 900 });
        if (method === 'getTransactionWithCompressionInfoV2') return Promise.resolve({ result: transaction });
        if (method !== 'getCompressedAccountsByOwnerV2') return Promise.resolve({ result: { context, value: null } });
        const { cursor } = params as { cursor?: string };
        asked.push(params);
        const start = list.findIndex((_, at) => cursorAt(at) === (cursor ?? cursorAt(0)));
        const page = list.slice(start, start + 1_000);
        const next = page.length === 1_000 ? cursorAt(start + page.length) : null;
        return Promise.resolve({ result: { context, value: { items: start === -1 ? [] : page, cursor: next } } });
      };
      return { ask, asked };
    }
    const changed = (count: number, at: number) => items(count).map((item, place) => (place === at ? {} : item));

    it('compares all pages, and names the one that differs', async () => {
      const index = listing(items(2_000));
      expect(await verify({ index: index.ask, against: listing(items(2_000)).ask })).toMatchObject({
        result: 'equal',
        cutLists: 0,
        counts: { lists: { asked: 3 } },
      });
      expect(index.asked).toEqual([{ owner: 'o' }, { owner: 'o', cursor: '1000' }, { owner: 'o', cursor: '2000' }]);
      const report = await verify({ index: index.ask, against: listing(changed(2_000, 1_700)).ask });
      expect(report.differences).toMatchObject([
        { question: 'getCompressedAccountsByOwnerV2 {"owner":"o","cursor":"1000"}', at: '.items[700].leafIndex' },
      ]);
    });

    it('finds that one index ends where the other goes on', async () => {
      const index = listing(items(1_999));
      const { differences } = await verify({ index: index.ask, against: listing(items(2_000)).ask });
      expect(differences).toMatchObject([{ kind: 'lists', at: '.items[999]' }]);
      const cut: AskIndex = async (...call) => {
        const answer = await index.ask(...call);
        const text = JSON.stringify(answer).replace('"cursor":"1000"', '"cursor":null');
        return JSON.parse(text) as typeof answer;
      };
      const report = await verify({ index: index.ask, against: cut });
      expect(report.differences).toMatchObject([{ kind: 'lists', at: '.hasMore' }]);
    });

    it('says that a list goes on after ten pages, or where the indexes name its next page in different ways', async () => {
      const index = listing(items(10_001));
      const report = await verify({ index: index.ask, against: listing(changed(10_001, 10_000)).ask });
      expect(report).toMatchObject({ result: 'equal', cutLists: 1, counts: { lists: { asked: 10 } } });
      expect(describeVerification(report)).toContain('\nlists with later pages that were not compared: 1\n');
      const other = listing(changed(2_500, 1_500), (at) => `hash ${at}`);
      expect(await verify({ index: listing(items(2_500)).ask, against: other.ask })).toMatchObject({
        result: 'equal',
        cutLists: 1,
        counts: { lists: { asked: 1 } },
      });
    });
  });
});
