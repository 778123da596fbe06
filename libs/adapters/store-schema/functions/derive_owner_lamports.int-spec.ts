import { describeFunction } from '@fresnel/testing/store';

const [P, Q] = ['P', 'Q'].map((letter) => Buffer.from(letter));

describeFunction('derive_owner_lamports', ({ applyChanges, list }) => {
  const apply = (...changes: [Buffer | null, number, bigint | null][]) =>
    applyChanges(
      'derive_owner_lamports',
      changes.map(([owner, change, lamports]) => ({ owner, change, lamports })),
    );
  const sumOf = async (owner: Buffer) =>
    (await list(`SELECT lamports FROM owner_lamports WHERE owner_digest = key_digest($1)`, [owner])).flat();

  it('adds what appears to the sum of its owner, and subtracts what disappears', async () => {
    await apply([P, 1, 30n], [Q, 1, 20n]);
    await apply([P, 1, 50n], [P, -1, 20n]);
    expect([await sumOf(P), await sumOf(Q)]).toEqual([['60'], ['20']]);
  });

  it('has no row of a sum of zero', async () => {
    await apply([P, 1, 30n], [Q, 1, 0n]);
    await apply([P, -1, 30n]);
    expect(await list(`SELECT * FROM owner_lamports`)).toEqual([]);
  });

  it('exceeds u64', async () => {
    await apply([P, 1, 2n ** 64n - 1n], [P, 1, 2n ** 64n - 1n]);
    expect(await sumOf(P)).toEqual([String(2n ** 65n - 2n)]);
  });

  it('ignores accounts without an owner', async () => {
    await apply([null, 1, null]);
    expect(await list(`SELECT * FROM owner_lamports`)).toEqual([]);
  });
});
