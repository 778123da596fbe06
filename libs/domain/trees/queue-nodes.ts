import { type Hash } from '@fresnel/domain/primitives';
import { type NodePages, type NodePosition } from './node-pages';

/**
 * The nodes that prove leaves, sorted by level, then from the left: the leaves, their paths up to the root, and the siblings
 * on the paths.
 *
 * ```
 *   level 2         r                 leaf x:  x a b c r
 *   level 1      b     c
 *   level 0     x a   · ·
 * ```
 *
 * @param leafIndices in any order, duplicates allowed
 */
export function* nodesOnPaths(leafIndices: Iterable<number>, height: number): Generator<NodePosition, void> {
  // A typed array sorts by number, without calls of a function.
  let path: ArrayLike<number> = Float64Array.from(new Set(leafIndices)).sort();
  if (path.length === 0) return;
  for (let level = 0; level < height; level++) {
    const parents: number[] = [];
    for (let at = 0; at < path.length;) {
      const parent = Math.floor(path[at] / 2);
      const [left, right] = [2 * parent, 2 * parent + 1];
      const hasLeft = path[at] === left;
      const hasRight = path[hasLeft ? at + 1 : at] === right;
      yield { level, index: left };
      yield { level, index: right };
      at += hasLeft && hasRight ? 2 : 1;
      parents.push(parent);
    }
    path = parents;
  }
  yield { level: height, index: 0 };
}

/**
 * The frontier of a tree: on each level the rightmost node that is a left child, leaf level first. The next appended leaf is
 * hashed with those of them that have no sibling yet.
 *
 * @param nodes with the pages on the path of the last leaf
 * @param nextIndex number of leaves, at least 1
 */
export function frontierOf(nodes: NodePages, nextIndex: number, height: number): Hash[] {
  return Array.from({ length: height }, (_, level) => {
    const last = Math.floor((nextIndex - 1) / 2 ** level);
    return nodes.node({ level, index: last - (last % 2) });
  });
}
