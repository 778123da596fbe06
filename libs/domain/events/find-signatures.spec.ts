import { generateLedger } from '@fresnel/ledger-generator';
import { type RawTransaction } from './raw-transaction';
import { findSignatures, MAX_BLOCK_SIGNATURES } from './find-signatures';

const transactionsOf = (json: string) =>
  (JSON.parse(json) as { transactions: RawTransaction[] }).transactions.map((entry) => JSON.stringify(entry));

describe('findSignatures', () => {
  const blocks = [...generateLedger({ seed: 11, slots: 60, transactionsPerSlot: 6 })];
  const transactions = blocks.flatMap(({ json }) => transactionsOf(json));
  const facts = blocks.flatMap((block) => block.facts.transactions);

  it('finds all transactions but votes and those that failed', () => {
    const expected = facts.filter(({ isFailed, action }) => !isFailed && action !== 'vote');
    expect(findSignatures(transactions)).toEqual(expected.map(({ signature }) => signature));
    expect(facts.filter(({ isFailed }) => isFailed).length).toBeGreaterThan(0);
    expect(facts.filter(({ action }) => action === 'vote').length).toBeGreaterThan(0);
    expect(expected.filter(({ events }) => events.length === 0).length).toBeGreaterThan(0);
  });

  it('finds the last ones of many', () => {
    const all = findSignatures(transactions);
    const many = Array.from({ length: Math.ceil((2 * MAX_BLOCK_SIGNATURES) / all.length) }, () => transactions).flat();
    const found = findSignatures(many);
    expect(found).toHaveLength(MAX_BLOCK_SIGNATURES);
    expect(found.slice(-all.length)).toEqual(all);
  });

  it.each<[string, RawTransaction]>([
    ['is missing', {}],
    ['is not in base64', { transaction: { message: {} }, meta: { err: null } }],
    ['is truncated', { transaction: [Buffer.of(1, 0, 0).toString('base64'), 'base64'], meta: { err: null } }],
  ])('ignores a transaction that %s', (_, transaction) => {
    expect(findSignatures([JSON.stringify(transaction), ...transactions.slice(0, 5)])).toEqual(
      findSignatures(transactions.slice(0, 5)),
    );
  });
});
