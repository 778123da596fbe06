import { keyOf, parseSignature, toBase58 } from '@fresnel/domain/primitives';
import { generateLedger, generatedTrees } from '@fresnel/ledger-generator';
import { readHistoryLedger } from '@fresnel/testing/history';
import { writeExecutedTransaction } from './executed-transaction.codec';
import { findNamedAccounts } from './named-accounts';

const TRANSACTIONS = readHistoryLedger([...generateLedger({ seed: 31, slots: 20 })]).flatMap(
  (block) => block.transactions,
);
const withoutMeta = (json: string) => JSON.stringify({ ...(JSON.parse(json) as object), meta: null });
const namesOf = (json: string) => findNamedAccounts(json).map(toBase58);

describe('findNamedAccounts', () => {
  it('finds the static keys, and those from lookup tables', () => {
    for (const { json, staticKeys, loadedKeys } of TRANSACTIONS) {
      expect(namesOf(json)).toEqual([...staticKeys, ...loadedKeys]);
    }
    expect(TRANSACTIONS.some(({ loadedKeys }) => loadedKeys.length > 0)).toBe(true);
  });

  it('finds the static keys of a transaction without meta', () => {
    for (const { json, staticKeys } of TRANSACTIONS) expect(namesOf(withoutMeta(json))).toEqual(staticKeys);
  });

  it('finds those of a transaction without bytes', () => {
    const [{ tree, queue }] = generatedTrees();
    const [{ signature }] = TRANSACTIONS;
    const [programId, ...accounts] = [tree, queue].map(toBase58);
    const instructions = [{ programId, accounts, data: '', stackHeight: 1 }];
    const json = writeExecutedTransaction({ signature: parseSignature(signature), instructions });
    expect(findNamedAccounts(json).map(keyOf)).toEqual([tree, queue].map(keyOf));
  });

  it('finds none in what cannot be decoded', () => {
    expect(namesOf('null')).toEqual([]);
    expect(namesOf('{"transaction":["AAAA","base64"],"meta":{}}')).toEqual([]);
    expect(namesOf('{"executed":{}}')).toEqual([]);
  });
});
