import { describeFunction } from '@fresnel/testing/store';

const [P, Q, W] = ['P', 'Q', 'W'].map((letter) => Buffer.from(letter));

describeFunction('derive_address_programs', ({ applyChanges, list }) => {
  it('stores each program once, and not the owners of other accounts', async () => {
    const change = (owner: Buffer, hasAddress: boolean) => ({ change: 1, owner, has_address: hasAddress });
    await applyChanges('derive_address_programs', [change(P, true), change(P, true), change(W, false)]);
    await applyChanges('derive_address_programs', [change(P, true), change(Q, true)]);
    expect(await list(`SELECT program FROM address_programs ORDER BY 1`)).toEqual([[P], [Q]]);
  });
});
