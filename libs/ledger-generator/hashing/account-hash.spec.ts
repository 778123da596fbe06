import { type Hash, parseHash, parsePubkey, toBase58 } from '@fresnel/domain/primitives';
import { type TreeInfo } from '@fresnel/domain/trees';
import { type AccountBody } from '../facts';
import { generatedTrees } from '../generated-trees';
import { hashAccount } from './account-hash';
import { bytesToField } from './field';

const hex = (text: string) => Buffer.from(text, 'hex') as Hash;
const [smt1] = generatedTrees();
const recordedV2: TreeInfo = {
  ...generatedTrees()[2],
  tree: parsePubkey('HLKs5NJ8FXkJg8BrzJt56adFYYuwg5etzDtBbQYTsixu'),
};
const lamportsOf = (owner: string, lamports: bigint): AccountBody => ({
  owner: parsePubkey(owner),
  lamports,
  address: null,
  data: null,
});

describe('bytesToField', () => {
  it.each([
    ['11111111111111111111111111111111', '00011db134eabccf384fac9a3fae7745def9c02a5687fc08d39ea959eb28a769'],
    ['smt1NamzXdq4AMqS2fS2F1i5KTYPZRhoHgWx38d8WsT', '00148b8e2d77c22ec70b6389f3a563d66f6837015dc9164c7986d35c68ce0c5d'],
    ['bmt2UxoBxB9xWev4BkLvkGdapsz6sZGkzViPNph7VFi', '0068b5c6459c8bae187b28565467d50c3a86f6b05fa612490aef04a9f16f3c76'],
  ])('maps the key %s like the chain', (key, expected) => {
    expect(bytesToField(parsePubkey(key)).toString('hex')).toBe(expected);
  });
});

describe('hashAccount', () => {
  it('hashes a recorded token account of a V1 tree', () => {
    const body: AccountBody = {
      owner: parsePubkey('cTokenmWW8bLPjZEBAUgYy3zKxQZW6VKi7bqNFEVv3m'),
      lamports: 0n,
      address: null,
      data: {
        discriminator: hex('0200000000000000'),
        bytes: Buffer.alloc(0),
        dataHash: hex('2faf47e5718eea84093d1aa2758a07ca15fdb3d93b878f2888396419f875579b'),
      },
    };
    expect(toBase58(hashAccount(body, smt1, 0))).toBe('38eTBdRT4kdFELvNfbJbFZNvGWUvXbn3DdJn3PzMtsqJ');
  });

  it('writes leaf index and lamports little endian in V1 trees', () => {
    const body = lamportsOf('Ecs89dz8NsNoSxyUtp54G2HPbmvJr8qZnxnWUqiLT92r', 555289324n);
    expect(toBase58(hashAccount(body, smt1, 1))).toBe('3TmunqmFWX8Z94hekUdBRp2PDugFwFUTcY8U6PpQQNkM');
  });

  it('includes the address', () => {
    const address = parseHash('143oE544fmAqpnwRQYAmNCKFaweMsg7wSbGfihU8RdU5');
    const body = { ...lamportsOf('G4hCxpdcYtNujPULmahKhkMt7eBD7VFeP6V4K9C3mu85', 0n), address };
    expect(toBase58(hashAccount(body, smt1, 3))).toBe('BNZmGxjjKouKNxG3k4L8zNGfUEyANPuhVVkizYefB5x');
  });

  it('writes leaf index and lamports big endian in V2 trees', () => {
    const body = lamportsOf('1111111QLbz7JHiBTspS962RLKV8GndWFwiEaqKM', 1_000_000n);
    expect(toBase58(hashAccount(body, recordedV2, 1))).toBe('2GX8RsmXywnbe9MP71NuqhJppRCV1rdJGHsKeG4jew54');
  });
});
