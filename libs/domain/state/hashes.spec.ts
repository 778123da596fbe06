import { type AccountBody } from '@fresnel/domain/events';
import { type Hash, parseHash, parsePubkey, toBase58 } from '@fresnel/domain/primitives';
import { poseidon } from '@fresnel/domain/poseidon';
import { poseidonInline } from '@fresnel/testing/address-trees';
import { hashAccount, hashNullifiers, hashToField } from './hashes';

const bytes = (hex: string) => Buffer.from(hex, 'hex');
const SMT1 = parsePubkey('smt1NamzXdq4AMqS2fS2F1i5KTYPZRhoHgWx38d8WsT');
const HLKS = parsePubkey('HLKs5NJ8FXkJg8BrzJt56adFYYuwg5etzDtBbQYTsixu');
const plain = (owner: string, lamports: bigint): AccountBody => {
  return { owner: parsePubkey(owner), lamports, address: null, data: null };
};

describe('hashToField', () => {
  it.each([
    ['11111111111111111111111111111111', '00011db134eabccf384fac9a3fae7745def9c02a5687fc08d39ea959eb28a769'],
    ['smt1NamzXdq4AMqS2fS2F1i5KTYPZRhoHgWx38d8WsT', '00148b8e2d77c22ec70b6389f3a563d66f6837015dc9164c7986d35c68ce0c5d'],
    ['bmt1LryLZUMmF7ZtqESaw7wifBXLfXHQYoE4GAmrahU', '00e57b1749a840818063a27c6bc650f613696685ee1fdc805532ef96b15ee6d8'],
  ])('maps %s into the field', (key, expected) => {
    expect(hashToField(parsePubkey(key)).toString('hex')).toBe(expected);
  });
});

describe('hashAccount', () => {
  it('returns the recorded hash of a V1 token account', () => {
    const body: AccountBody = {
      ...plain('cTokenmWW8bLPjZEBAUgYy3zKxQZW6VKi7bqNFEVv3m', 0n),
      data: {
        discriminator: bytes('0200000000000000'),
        bytes: Buffer.alloc(0),
        dataHash: bytes('2faf47e5718eea84093d1aa2758a07ca15fdb3d93b878f2888396419f875579b') as Hash,
      },
    };
    expect(toBase58(hashAccount(body, 0, SMT1, 'stateV1', poseidon))).toBe(
      '38eTBdRT4kdFELvNfbJbFZNvGWUvXbn3DdJn3PzMtsqJ',
    );
  });

  it('uses little-endian numbers in V1 trees', () => {
    const body = plain('Ecs89dz8NsNoSxyUtp54G2HPbmvJr8qZnxnWUqiLT92r', 555_289_324n);
    expect(toBase58(hashAccount(body, 1, SMT1, 'stateV1', poseidon))).toBe(
      '3TmunqmFWX8Z94hekUdBRp2PDugFwFUTcY8U6PpQQNkM',
    );
  });

  it('includes the address', () => {
    const body = {
      ...plain('G4hCxpdcYtNujPULmahKhkMt7eBD7VFeP6V4K9C3mu85', 0n),
      address: parseHash('143oE544fmAqpnwRQYAmNCKFaweMsg7wSbGfihU8RdU5'),
    };
    expect(toBase58(hashAccount(body, 3, SMT1, 'stateV1', poseidon))).toBe(
      'BNZmGxjjKouKNxG3k4L8zNGfUEyANPuhVVkizYefB5x',
    );
  });

  it('uses big-endian numbers in V2 trees', () => {
    const body = plain('1111111QLbz7JHiBTspS962RLKV8GndWFwiEaqKM', 1_000_000n);
    expect(toBase58(hashAccount(body, 1, HLKS, 'stateV2', poseidon))).toBe(
      '2GX8RsmXywnbe9MP71NuqhJppRCV1rdJGHsKeG4jew54',
    );
  });
});

describe('hashNullifiers', () => {
  it('returns the nullifier of a recorded transfer', async () => {
    const hash = parseHash('31k1cBCZnCpF4jMjCeBEsWdFsjraJAXWXzkurB2C7Uzg');
    const txHash = parseHash('2WUZZ2KLpSA8Yum9BVZt3vK8nBb5nFRasiiWeqe7XfGv');
    const [nullifier] = await hashNullifiers([{ hash, leafIndex: 0, txHash }], poseidonInline.hashBatch);
    expect(toBase58(nullifier)).toBe('WCfuDcCWYGFTtq3WPs3JPAznQsvcsV1TW4A9rbRx1a8');
  });
});
