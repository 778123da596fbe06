import { findDifference } from './find-difference';
import { type Question, questionsAbout, readTransaction, toAsked } from './questions';

const SUBJECT = { hash: 'h', owner: 'o', address: 'a', token: { owner: 't', mint: 'm', delegate: 'd' } };
const question = (method: string): Question => ({ kind: 'lists', method, params: {} });
const page = (items: unknown[], cursor: string | null = null) => ({ context: { slot: 7 }, value: { items, cursor } });

describe('the questions about an account', () => {
  it('follow from its members', () => {
    const named = (subject: Parameters<typeof questionsAbout>[0]) =>
      questionsAbout(subject).map(({ method, params }) => `${method} ${Object.entries(params).flat().join(' ')}`);
    expect(named(SUBJECT)).toEqual([
      'getCompressedAccountV2 hash h',
      'getCompressionSignaturesForAccount hash h',
      'getCompressedAccountsByOwnerV2 owner o',
      'getCompressedBalanceByOwner owner o',
      'getCompressionSignaturesForOwner owner o',
      'getCompressedAccountV2 address a',
      'getCompressionSignaturesForAddress address a',
      'getCompressedTokenAccountsByOwnerV2 owner t',
      'getCompressedTokenBalancesByOwnerV2 owner t',
      'getCompressionSignaturesForTokenOwner owner t',
      'getCompressedMintTokenHolders mint m',
      'getCompressedTokenAccountsByDelegateV2 delegate d',
    ]);
    expect(named({ ...SUBJECT, address: null, token: null })).toHaveLength(5);
  });
});

describe('the form in which results are compared', () => {
  it('says whether there is another page, and keeps its cursor apart', () => {
    const { method } = question('getCompressedAccountsByOwnerV2');
    const asked = (cursor: string | null) => toAsked(question(method), page([1], cursor));
    expect(asked('c')).toEqual({ slot: 7, next: 'c', value: { items: [1], hasMore: true } });
    expect(asked(null)).toEqual({ slot: 7, next: null, value: { items: [1], hasMore: false } });
    const { context } = page([]);
    expect(toAsked(question(method), { context, value: { items: [] } })).toMatchObject({ next: null });
    expect(toAsked(question('getCompressedAccountV2'), { context, value: null })).toEqual({ slot: 7, value: null });
  });

  const [HOLDERS, BALANCES] = ['getCompressedMintTokenHolders', 'getCompressedTokenBalancesByOwnerV2'];
  const balances = (count: number, balance: unknown) => Array.from({ length: count }, () => ({ balance }));

  it('has no zero balances, which Photon lists', () => {
    const items = [{ balance: 2n ** 60n }, { balance: 0 }, { balance: 1 }];
    for (const method of [HOLDERS, BALANCES]) {
      const value = { items: [items[0], items[2]], hasMore: false };
      expect(toAsked(question(method), page(items))).toEqual({ slot: 7, next: null, value });
    }
  });

  it('has the next page of balances, unless zeros have cut this one at another place', () => {
    const full = balances(1_000, 1);
    const cut = [...balances(999, 1), { balance: 0 }];
    for (const method of [HOLDERS, BALANCES]) {
      const value = { items: full, hasMore: true };
      expect(toAsked(question(method), page(full, 'c'))).toEqual({ slot: 7, next: 'c', value });
    }
    expect(toAsked(question(HOLDERS), page(cut, 'c'))).toMatchObject({ next: null, value: { hasMore: false } });
    expect(toAsked(question(BALANCES), page(cut, 'c'))).toEqual({ failure: expect.stringContaining('a full page') });
  });

  it('of a transaction has no order of accounts, and nothing that changes later or that only the node says', () => {
    const closed = (hash: string, proveByIndex: boolean) => ({
      account: { account: { hash, owner: 'o', address: null, proveByIndex }, nullifier: 'n', txHash: 't' },
      optionalTokenData: null,
    });
    const opened = { account: { hash: 'x', owner: 'o', address: null, proveByIndex: true }, optionalTokenData: null };
    const result = (meta: string, ...closedAccounts: unknown[]) => {
      const compressionInfo = { closedAccounts, openedAccounts: [opened], preTokenBalances: [meta] };
      return { transaction: { meta }, compressionInfo, compression_info: compressionInfo };
    };
    const one = readTransaction(result('a', closed('1', true), closed('2', true)));
    const other = readTransaction(result('b', closed('2', false), closed('1', false)));
    expect(other?.value).toEqual(one?.value);
    expect(one?.subjects.map(({ hash }) => hash)).toEqual(['1', '2', 'x']);
    expect(readTransaction(null)).toBeNull();
    expect(() => readTransaction({})).toThrow('expected an object');
  });
});

describe('findDifference', () => {
  it('names the first place, and both values', () => {
    const one = { items: [{ a: 1 }, { a: 2n, b: null }] };
    expect(findDifference(one, structuredClone(one))).toBeNull();
    expect(findDifference(one, { items: [{ a: 1 }, { a: 2n }] })).toBeNull();
    expect(findDifference(one, { items: [{ a: 1 }, { a: 3n }] })).toEqual({ at: '.items[1].a', values: [2n, 3n] });
    expect(findDifference(one, { items: [{ a: 1 }] })).toEqual({ at: '.items[1]', values: [one.items[1], null] });
    expect(findDifference(null, one)).toEqual({ at: '', values: [null, one] });
  });
});
