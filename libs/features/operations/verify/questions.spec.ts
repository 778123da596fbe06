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
  it('has no cursor', () => {
    expect(toAsked(question('getCompressedAccountsByOwnerV2'), page([1], 'c'))).toEqual({
      slot: 7,
      value: { items: [1] },
    });
  });

  it('has no zero balances, which Photon lists', () => {
    const items = [{ balance: 2n ** 60n }, { balance: 0 }, { balance: 1 }];
    for (const method of ['getCompressedMintTokenHolders', 'getCompressedTokenBalancesByOwnerV2']) {
      expect(toAsked(question(method), page(items))).toEqual({ slot: 7, value: { items: [items[0], items[2]] } });
    }
  });

  it('is none for a page of balances that may be cut at another place', () => {
    const full = Array.from({ length: 1_000 }, () => ({ balance: 1 }));
    expect(toAsked(question('getCompressedTokenBalancesByOwnerV2'), page(full))).toMatchObject({
      failure: expect.stringContaining('a full page') as string,
    });
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
