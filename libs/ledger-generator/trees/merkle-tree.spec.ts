import { be32, type Hash, parseHash, toBase58 } from '@fresnel/domain/primitives';
import { poseidon } from '@fresnel/domain/poseidon';
import { rootOfProof } from '@fresnel/testing/address-trees';
import { EMPTY_LEAF, MerkleTree } from './merkle-tree';

const leaf = (value: number): Hash => be32(value + 1);

describe('MerkleTree', () => {
  it.each([
    [26, '120c58f143d491e95902f7f5277778a2e0ad5168f6add75669932630ce611518'],
    [32, '2f68a1c58e257e42a17a6c61dff5551ed560b9922ab119d5ac8e184c9734ead9'],
    [40, '1334fa4b552f00ef403361c935c1abcf896851003c40daa93bb0fd0a0bb9a881'],
  ])('of height %i starts with the root of an empty tree', (height, root) => {
    expect(new MerkleTree(height).root().toString('hex')).toBe(root);
  });

  it('computes the roots of a recorded V1 tree after each leaf', () => {
    const tree = new MerkleTree(26);
    const roots = RECORDED.map(([hash], index) => {
      tree.write(new Map([[index, parseHash(hash)]]));
      return toBase58(tree.root());
    });
    expect(roots).toEqual(RECORDED.map(([, root]) => root));
  });

  it('computes the root of a recorded V1 tree with empty leaves', () => {
    const tree = new MerkleTree(26);
    tree.write(new Map([[1, leaf(1)]]));
    tree.write(new Map([[2, parseHash('i49LfvzUcYoR1pookvJAnNmaWEW7yncty3UwWQjy6Nk')]]));
    tree.write(new Map([[1, EMPTY_LEAF]]));
    expect(toBase58(tree.root())).toBe('45u9rUQmAfgk5aTfjetBvqz63cRXmcmm4bupSE7d2zEm');
  });

  it('computes the same root for leaves written together or one by one', () => {
    const leaves = [0, 1, 5, 6, 900].map((index): [number, Hash] => [index, leaf(index)]);
    const together = new MerkleTree(10);
    together.write(new Map(leaves));
    const oneByOne = new MerkleTree(10);
    for (const entry of leaves) {
      oneByOne.write(new Map([entry]));
      oneByOne.root();
    }
    expect(oneByOne.root()).toEqual(together.root());
  });

  it('computes proofs that hash up to the root, also of empty leaves', () => {
    const tree = new MerkleTree(40);
    tree.write(new Map([0, 3, 2 ** 39].map((index) => [index, leaf(index)])));
    for (const index of [0, 1, 3, 2 ** 39, 2 ** 40 - 1]) {
      expect(rootOfProof(tree.leaf(index), index, tree.proof(index), poseidon)).toEqual(tree.root());
    }
  });

  it('computes the root after a write without changing', () => {
    const tree = new MerkleTree(26);
    tree.write(new Map([[0, leaf(0)]]));
    const before = tree.root();
    const predicted = tree.rootAfter(new Map([[1, leaf(1)]]));
    expect(tree.root()).toEqual(before);
    tree.write(new Map([[2, leaf(2)]]));
    tree.write(new Map([[1, leaf(1)]]));
    expect(tree.root()).not.toEqual(predicted);
    tree.write(new Map([[2, EMPTY_LEAF]]));
    expect(tree.root()).toEqual(predicted);
  });
});

const RECORDED = [
  ['38eTBdRT4kdFELvNfbJbFZNvGWUvXbn3DdJn3PzMtsqJ', '2CQUC7k98tbkNvtn5aoZB8UGtGCL8u68M3th3Xp9ut36'],
  ['cvUsqXvgkibEQc14JS4JiM5e1mePhiTDWkChWDRLPxW', 'iEcvKTn67mZxZaTdRVSqY9vVXitxTMmcL4z35KTKaVz'],
  ['2cnNeqdyWE7w5GSqP1sHrZ6TtDXDbwa1i9hqQQT5Nhco', '2m45SMHMn6UmMghNz2PTqtaAX6mQEieHE5fToGzHxUyr'],
  ['2R46QL8CSripTWvEsESL39ccripkjs9MjGtwnbJMzJET', '1vwxQWhAjrA4d6NTutHbbZzZZvDPBt3gmWvuv9vQsTu'],
  ['2TxrLe9HDTRDpVXmbkXUgXNksCZ7RdU4Tc2Ea1B8ADs2', 'LC6Ffa7JTuG1N4FeyHVWGXdoEhaeWNKfGnPJxA5siau'],
  ['2o5puhnQbtqyyrcZrsow4DSs6kafmyUTYmgdwXfMMehS', '3CwXbhcgDVZqbrewSSBz6mfs9covKPXoUBZsJfbUdaWn'],
  ['JReC6h68m3EdCKP7S35e7BE4pBPwQz1HfjUkboeQy9r', '2wBDKLscN4SBNzNdVsHq17PVXycvM8n4LNiKzJrebqZ7'],
] as const;
