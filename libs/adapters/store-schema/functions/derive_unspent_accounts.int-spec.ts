import { describeFunction, letterHash } from '@fresnel/testing/store';

const [OWNER, TOKEN_OWNER, DELEGATE, KEY, MINT] = ['O', 'T', 'D', 'K', 'M'].map(letterHash);

describeFunction('derive_unspent_accounts', ({ applyChanges, list }) => {
  const change = (letter: string, sign: number, columns = {}) => ({
    transaction_id: 1,
    change: sign,
    hash: letterHash(letter),
    leaf_index: letter.charCodeAt(0),
    owner: OWNER,
    ...columns,
  });
  const apply = (...changes: ReturnType<typeof change>[]) => applyChanges('derive_unspent_accounts', changes);
  const listed = async () =>
    (await list(`SELECT left(encode(hash, 'escape'), 1) FROM unspent_accounts ORDER BY 1`)).flat();

  it('lists accounts that appear, until they disappear', async () => {
    await apply(change('A', 1), change('B', 1));
    expect(await listed()).toEqual(['A', 'B']);
    await apply(change('A', -1), change('C', 1));
    expect(await listed()).toEqual(['B', 'C']);
  });

  it('leaves out accounts that appear and disappear', async () => {
    await apply(change('A', 1), change('A', -1), change('B', 1));
    expect(await listed()).toEqual(['B']);
    await apply(change('B', -1), change('B', 1));
    expect(await listed()).toEqual(['B']);
  });

  it('leaves out accounts without an owner', async () => {
    await apply(change('A', 1, { owner: null }));
    expect(await listed()).toEqual([]);
  });

  it('stores the digests of all keys that lists ask for', async () => {
    await apply(change('A', 1, { token_owner: TOKEN_OWNER, delegate: DELEGATE, onchain_key: KEY, mint: MINT }));
    const [found] = await list(
      `SELECT owner_digest = key_digest($1) AS owner, token_owner_digest = key_digest($2) AS token_owner,
         delegate_digest = key_digest($3) AS delegate, onchain_digest = key_digest($4) AS onchain, leaf_index, mint FROM unspent_accounts`,
      [OWNER, TOKEN_OWNER, DELEGATE, KEY],
    );
    expect(found).toEqual([true, true, true, true, '65', MINT]);
  });

  it('stores no digest of keys that the account does not have', async () => {
    await apply(change('A', 1));
    const digests = `token_owner_digest, delegate_digest, onchain_digest, mint`;
    expect(await list(`SELECT ${digests} FROM unspent_accounts`)).toEqual([[null, null, null, null]]);
  });
});
