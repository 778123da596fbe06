import { describeFunction } from '@fresnel/testing/store';

const [A, P, Q] = ['A', 'P', 'Q'].map((letter) => Buffer.from(letter));

describeFunction('derive_signatures', ({ applyChanges, list }) => {
  const change = (transaction: number, owner: Buffer | null, tokenOwner: Buffer | null = null) => ({
    transaction_id: transaction,
    change: 1,
    hash: A,
    owner,
    token_owner: tokenOwner,
  });
  const signaturesOf = async (table: string, owner: Buffer) =>
    (
      await list(`SELECT transaction_id::integer FROM ${table} WHERE owner_digest = key_digest($1) ORDER BY 1`, [owner])
    ).flat();

  it('lists each transaction of an owner once, whether its accounts appear or disappear', async () => {
    await applyChanges('derive_signatures', [change(1, P), change(2, P), { ...change(2, P), change: -1 }], 1);
    await applyChanges('derive_signatures', [change(2, P), change(3, Q), change(4, null)], 1);
    expect([await signaturesOf('owner_signatures', P), await signaturesOf('owner_signatures', Q)]).toEqual([
      [1, 2],
      [3],
    ]);
    expect(await list(`SELECT * FROM token_owner_signatures`)).toEqual([]);
  });

  it('lists transactions of token owners', async () => {
    await applyChanges('derive_signatures', [change(1, A, P), change(2, A, P), change(2, A, Q)], 1);
    const listed = [await signaturesOf('token_owner_signatures', P), await signaturesOf('token_owner_signatures', Q)];
    expect(listed).toEqual([[1, 2], [2]]);
    expect(await signaturesOf('owner_signatures', A)).toEqual([1, 2]);
  });

  it('removes what is taken back', async () => {
    await applyChanges('derive_signatures', [change(1, P, Q), change(2, P, Q)], 1);
    await applyChanges('derive_signatures', [{ ...change(2, P, Q), change: -1 }, change(3, P, Q)], -1);
    expect(await signaturesOf('owner_signatures', P)).toEqual([1]);
    expect(await signaturesOf('token_owner_signatures', Q)).toEqual([1]);
  });
});
