import { poseidon } from '@fresnel/domain/poseidon';
import { be32, type Hash } from '@fresnel/domain/primitives';
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
