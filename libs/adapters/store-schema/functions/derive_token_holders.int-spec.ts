import { describeFunction } from '@fresnel/testing/store';

const [P, Q, M, N] = ['P', 'Q', 'M', 'N'].map((letter) => Buffer.from(letter));

describeFunction('derive_token_holders', ({ applyChanges, list }) => {
  const apply = (...changes: [Buffer | null, Buffer | null, number, bigint | null][]) =>
    applyChanges(
      'derive_token_holders',
      changes.map(([mint, owner, change, amount]) => ({ mint, token_owner: owner, change, amount })),
    );
  const holders = () =>
    list(`SELECT encode(mint, 'escape') || encode(owner, 'escape'), balance FROM token_holders ORDER BY 1`);

  it('adds what appears to the balance of its owner and mint, and subtracts what disappears', async () => {
    await apply([M, P, 1, 30n], [M, Q, 1, 20n], [N, P, 1, 5n]);
    await apply([M, P, 1, 50n], [M, P, -1, 20n]);
    expect(await holders()).toEqual([
      ['MP', '60'],
      ['MQ', '20'],
      ['NP', '5'],
    ]);
  });

  it('has no row of a balance of zero', async () => {
    await apply([M, P, 1, 30n], [M, Q, 1, 0n]);
    await apply([M, P, -1, 30n]);
    expect(await holders()).toEqual([]);
  });

  it('sums the tokens of an owner beyond u64', async () => {
    await apply([M, P, 1, 2n ** 64n - 1n], [M, P, 1, 5n], [M, P, 1, 0n]);
    expect(await holders()).toEqual([['MP', String(2n ** 64n + 4n)]]);
    await apply([M, P, -1, 2n ** 64n - 1n], [M, P, -1, 0n]);
    expect(await holders()).toEqual([['MP', '5']]);
  });

  it('ignores accounts without tokens', async () => {
    await apply([null, null, 1, null]);
    expect(await holders()).toEqual([]);
  });
});
