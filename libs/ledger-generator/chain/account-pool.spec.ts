import { type Hash, ZERO_PUBKEY } from '@fresnel/domain/primitives';
import { type CreatedAccount } from '../facts';
import { generatedTrees } from '../generated-trees';
import { Random } from '../random';
import { AccountPool } from './account-pool';

const [tree] = generatedTrees();
const accountAt = (leafIndex: number): CreatedAccount => ({
  ...{ owner: ZERO_PUBKEY, lamports: 0n, address: null, data: null, token: null, isReadable: true },
  ...{ hash: Buffer.alloc(32, leafIndex) as Hash, tree, leafIndex, seq: 1n, slot: 1 as CreatedAccount['slot'] },
});

describe('AccountPool', () => {
  const random = new Random(1);
  const accounts = [1, 2, 3, 4].map(accountAt);

  it('draws accounts that match and were not removed', () => {
    const pool = new AccountPool();
    for (const account of accounts) pool.add(account);
    pool.remove(accounts[1]);
    pool.remove(accounts[3]);
    pool.remove(accounts[3]);
    expect(
      pool
        .drawSome(random, 9, () => true)
        .map(({ leafIndex }) => leafIndex)
        .sort(),
    ).toEqual([1, 3]);
    expect(pool.draw(random, ({ leafIndex }) => leafIndex === 3)).toBe(accounts[2]);
    expect(pool.draw(random, ({ leafIndex }) => leafIndex === 2)).toBeNull();
  });

  it('returns null when it is empty', () => {
    expect(new AccountPool().draw(random, () => true)).toBeNull();
  });
});
