import { type Pubkey } from '@fresnel/domain/primitives';
import { encodeTokenData, type TokenData } from '@fresnel/domain/state';
import { describeFunction, letterHash } from '@fresnel/testing/store';

const [MINT, OWNER, DELEGATE] = ['M', 'O', 'D'].map((letter) => letterHash(letter) as Pubkey);
const PLAIN: TokenData = { mint: MINT, owner: OWNER, amount: 5n, delegate: null, state: 'initialized', tlv: null };

describeFunction('account_data', ({ insert, list }) => {
  const dataOf = async (columns: Record<string, Buffer | string | boolean | null>) => {
    await insert('accounts', { hash: letterHash('H'), created_by: 1, leaf_index: 0, tree_id: 1, ...columns });
    const [[data]] = await list(`SELECT account_data(a) FROM accounts a`);
    return data;
  };

  it.each<[string, Partial<TokenData>]>([
    ['a plain one', {}],
    ['no tokens', { amount: 0n }],
    ['an amount above those of signed numbers', { amount: 2n ** 63n }],
    ['the largest amount', { amount: 2n ** 64n - 1n }],
    ['an amount with different bytes', { amount: 0x0102_0304_0506_0708n }],
    ['a delegate', { delegate: DELEGATE }],
    ['a frozen one with extensions', { state: 'frozen', tlv: Buffer.from('some extensions') }],
    ['everything', { delegate: DELEGATE, state: 'frozen', tlv: Buffer.of(1) }],
  ])('encodes the columns of a token account: %s', async (_, changes) => {
    const token = { ...PLAIN, ...changes };
    const { amount, delegate, state, tlv } = token;
    const columns = { amount: String(amount), delegate, is_frozen: state === 'frozen', tlv };
    expect(await dataOf({ mint: MINT, token_owner: OWNER, ...columns })).toEqual(encodeTokenData(token));
  });

  it('is what is stored, if something is', async () => {
    expect(await dataOf({ mint: MINT, token_owner: OWNER, amount: '5', data: Buffer.of(7) })).toEqual(Buffer.of(7));
  });

  it('is null of other accounts without data', async () => {
    expect(await dataOf({ owner: OWNER })).toBeNull();
  });
});
