import { type Hash } from '@fresnel/domain/primitives';
import { AddressTreeModel, sha256, testAddresses, V2 } from '@fresnel/testing/trees';
import fc from 'fast-check';
import { hashElement } from './indexed-element';
import { NodePages, type PageId } from './node-pages';
import { frontierOf, nodesOnPaths } from './queue-nodes';
import { zeroSubtrees } from './zero-subtrees';

const HEIGHT = 6;

const keyOf = (level: number, index: number) => `${level}:${index}`;

describe('nodesOnPaths', () => {
  it('lists leaves, siblings and paths by level, then from the left, each once', () => {
    const listed = [...nodesOnPaths([5, 2, 5, 3], 3)].map(({ level, index }) => keyOf(level, index));
    expect(listed).toEqual(['0:2', '0:3', '0:4', '0:5', '1:0', '1:1', '1:2', '1:3', '2:0', '2:1', '3:0']);
  });

  it('lists nothing for no leaves', () => {
    expect([...nodesOnPaths([], 3)]).toEqual([]);
  });

  it('lists exactly what proves each leaf', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(2 ** HEIGHT - 1), { maxLength: 12 }), (leaves) => {
        const expected = new Set<string>();
        for (const leaf of leaves) {
          expected.add(keyOf(0, leaf));
          for (let level = 0; level < HEIGHT; level++) {
            expected.add(keyOf(level, (leaf >> level) ^ 1));
            expected.add(keyOf(level, leaf >> level)).add(keyOf(level + 1, leaf >> (level + 1)));
          }
        }
        const listed = [...nodesOnPaths(leaves, HEIGHT)];
        expect(listed.map(({ level, index }) => keyOf(level, index)).sort()).toEqual([...expected].sort());
        const order = listed.map(({ level, index }) => level * 2 ** HEIGHT + index);
        expect(order).toEqual([...order].sort((a, b) => a - b));
      }),
    );
  });
});

describe('frontierOf', () => {
  it.each([1, 2, 3, 4, 11, 16, 17])('has what appending to %i leaves needs', (count) => {
    const model = new AddressTreeModel(V2, sha256);
    if (count > 1) model.insert(...testAddresses(0, count - 1));
    const { height } = V2;
    const pages = new Map<PageId, Buffer>();
    const leaves = new Map(model.all.map((element) => [element.index, hashElement('addressV2', element, sha256)]));
    expect(leaves.size).toBe(count);
    const nodes = new NodePages((id) => pages.get(id), sha256);
    nodes.writeLeaves(leaves, height);
    const frontier = frontierOf(nodes, count, height);
    expect(frontier.length).toBe(height);
    // Appending an empty leaf with the frontier gives the root of before.
    const zeros = zeroSubtrees(sha256);
    let hash: Hash = zeros[0];
    for (let level = 0, index = count; level < height; level++, index = Math.floor(index / 2)) {
      hash = index % 2 === 1 ? sha256([frontier[level], hash]) : sha256([hash, zeros[level]]);
    }
    expect(hash).toEqual(model.root);
    // Where the next leaf has no complete node to its left, the frontier has the incomplete one.
    expect(frontier[height - 1]).toEqual(nodes.node({ level: height - 1, index: 0 }));
  });
});
