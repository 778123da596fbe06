import { poseidon } from '@fresnel/domain/poseidon';
import { be32, type Hash } from '@fresnel/domain/primitives';
import { rememberHashes, rootOfPath } from './merkle-path';
import { hashPublicInputs } from './public-inputs';

const account = (seed: number) => ({ root: be32(seed), leaf: be32(seed + 1) });
const address = (seed: number) => ({ root: be32(seed), address: be32(seed + 1) });
const hash = (...inputs: Hash[]) => poseidon(inputs);

describe('hashPublicInputs', () => {
  const [one, two, three] = [account(10), account(20), account(30)];
  const [other] = [address(40)];
  const inclusion = hash(hash(hash(one.root, one.leaf), two.root, two.leaf), three.root, three.leaf);
  const nonInclusion = hash(other.root, other.address);

  it('chains the pairs of a root and a leaf', () => {
    expect(hashPublicInputs({ accounts: [one, two, three], addresses: [] }, poseidon)).toEqual(inclusion);
    expect(hashPublicInputs({ accounts: [one], addresses: [] }, poseidon)).toEqual(hash(one.root, one.leaf));
    expect(hashPublicInputs({ accounts: [], addresses: [other] }, poseidon)).toEqual(nonInclusion);
  });

  it('hashes both chains if there are accounts and addresses', () => {
    const inputs = { accounts: [one, two, three], addresses: [other] };
    expect(hashPublicInputs(inputs, poseidon)).toEqual(hash(inclusion, nonInclusion));
  });
});

describe('rootOfPath', () => {
  const [a, b, c, d] = [be32(1), be32(2), be32(3), be32(4)];
  const root = hash(hash(a, b), hash(c, d));

  it.each([
    [0, a, [b, hash(c, d)]],
    [1, b, [a, hash(c, d)]],
    [2, c, [d, hash(a, b)]],
    [3, d, [c, hash(a, b)]],
  ])('of leaf %d is the root of the tree', (index, leaf, siblings) => {
    expect(rootOfPath(leaf, index, siblings, poseidon)).toEqual(root);
    expect(rootOfPath(leaf, index ^ 1, siblings, poseidon)).not.toEqual(root);
  });

  it('is that of a leaf beyond 32 bits', () => {
    const index = 2 ** 39 + 1;
    const siblings = Array.from({ length: 40 }, (_, at) => be32(at + 100));
    let node = hash(siblings[0], a);
    for (const sibling of siblings.slice(1, 39)) node = hash(node, sibling);
    expect(rootOfPath(a, index, siblings, poseidon)).toEqual(hash(siblings[39], node));
  });
});

describe('rememberHashes', () => {
  it('hashes the shared nodes of two paths once', () => {
    const [a, b, c, d] = [be32(1), be32(2), be32(3), be32(4)];
    const calls = jest.fn(poseidon);
    const hasher = rememberHashes(calls, 10);
    const root = rootOfPath(a, 0, [b, hash(c, d)], hasher);
    expect([rootOfPath(b, 1, [a, hash(c, d)], hasher), rootOfPath(d, 3, [c, hash(a, b)], hasher)]).toEqual([
      root,
      root,
    ]);
    expect(calls).toHaveBeenCalledTimes(3);
    expect(hasher([a, b, c])).toEqual(hash(a, b, c));
  });

  it('forgets the inputs that were not used for the longest time', () => {
    const [a, b, c] = [be32(1), be32(2), be32(3)];
    const calls = jest.fn(poseidon);
    const hasher = rememberHashes(calls, 2);
    for (const input of [a, b, a, c, a]) expect(hasher([input])).toEqual(hash(input));
    expect(calls.mock.calls).toEqual([[[a]], [[b]], [[c]]]);
    hasher([b]);
    expect(calls).toHaveBeenCalledTimes(4);
  });
});
