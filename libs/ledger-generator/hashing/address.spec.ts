import { parsePubkey, toBase58, ZERO_PUBKEY } from '@fresnel/domain/primitives';
import { bytesToField } from './field';
import { deriveAddressV1, deriveAddressV2 } from './address';

const program = parsePubkey('7yucc7fL3JGbyMwg4neUaenNSdySS39hbAk89Ao3t1Hz');
const seeds = ['foo', 'bar'].map((seed) => Buffer.from(seed));

describe('addresses', () => {
  it.each([
    [ZERO_PUBKEY, '139uhyyBtEh4e1CBDJ68ooK5nCeWoncZf9HPyAfRrukA'],
    [parsePubkey('amt1Ayt45jfbdw5YSo7iz6WZxUmnZsQTYXy82hVwyC2'), '14cFVSNobwgPwFMZHK6fuVMQsm8kPC7kppJzJnNKhh4p'],
  ])('of a V1 tree are derived from a seed that commits to the program', (tree, expected) => {
    const { seed, address } = deriveAddressV1(tree, program, seeds);
    expect(seed.toString('hex')).toBe('00f69603c05f357b388bceb3fd857367789bfb48fa2f75d9763baecf3165c96e');
    expect(toBase58(address)).toBe(expected);
  });

  it('of a V2 tree commit to the program themselves', () => {
    const tree = parsePubkey('amt2kaJA14v3urZbZvnc5v2np8jqvc4Z8zDep5wbtzx');
    const { seed, address } = deriveAddressV2(tree, program, seeds);
    expect(seed.toString('hex')).toBe('00b186c6184c74cf387fbdb557ed9ab5f636831596f86a4b1a5093f503178838');
    expect(address.toString('hex')).toBe('003af904bb84dd0e7d6bca5856c6020791e55d73ca4e9227fb2df9ca97478645');
  });

  it('of a recorded V2 tree are derived from their seeds', () => {
    const seed = Buffer.from('7fb27b941602d01d11542211134fc71aacae54e37e7d007bbb7b55eff062a284', 'hex');
    const tree = parsePubkey('EzKE84aVTkCUhDHLELqyJaq1Y7UVVmqxXqZjVHwHY3rK');
    const owner = parsePubkey('FNt7byTHev1k5x2cXZLBr8TdWiC3zoP5vcnZR4P682Uy');
    expect(toBase58(bytesToField(seed, tree, owner))).toBe('1Em4ajCFj5LZVXWyTZfF8MiCe82cr25yXWDYK18YXrG');
  });
});
