import { type Hash, HASH_BYTES, MalformedBytesError } from '@fresnel/domain/primitives';
import { type NodePages } from './node-pages';
import { MAX_HEIGHT } from './zero-subtrees';

/**
 * The siblings on the paths of leaves of one tree. The upper levels of the paths are mostly the same nodes, so each node is
 * stored once: of a thousand paths in a tree with 20,000 leaves, 5,500 of 26,000 nodes are left.
 */
export class MerklePaths {
  private constructor(
    /** Levels below the root. */
    readonly height: number,
    /**
     * Concatenated: for each level, leaf level first, the siblings of the leaves or of their ancestors at that level. Each is
     * stored once, in the order of the nodes whose siblings they are, from the left.
     */
    readonly nodes: Buffer,
    /** For each leaf, in the order of the request, the place of its sibling at each level in `nodes`, leaf level first. */
    readonly references: Uint32Array,
  ) {}

  /** Reads paths from the pages of a tree. @param leafIndices in any order, duplicates allowed @param pages all that are on the paths */
  static read(pages: Pick<NodePages, 'siblingsOf'>, leafIndices: readonly number[], height: number): MerklePaths {
    const { references, levels } = planPaths(leafIndices, height);
    const nodes = Buffer.concat(levels.map((indices, level) => pages.siblingsOf(indices, level)));
    return new MerklePaths(height, nodes, references);
  }

  /**
   * @param nodes as in a `MerklePaths` of the same leaves; their memory is not copied
   * @throws MalformedBytesError for another number of nodes, and for a height above that of the tallest trees
   */
  static of(leafIndices: readonly number[], height: number, nodes: Buffer): MerklePaths {
    // Checked first, because the references of a wrong height may not fit into memory.
    if (height > MAX_HEIGHT) throw new MalformedBytesError(`no tree has ${height} levels`);
    const { references, levels } = planPaths(leafIndices, height);
    const expected = levels.reduce((sum, level) => sum + level.length, 0) * HASH_BYTES;
    if (nodes.length !== expected)
      throw new MalformedBytesError(`${nodes.length} bytes of nodes instead of ${expected}`);
    return new MerklePaths(height, nodes, references);
  }

  /** The siblings on the path of a leaf, leaf level first. @param at its place in the request */
  siblings(at: number): Hash[] {
    return this.convert((node) => node)(at);
  }

  /**
   * Converts nodes, each once, when they are first asked for.
   *
   * @returns the converted siblings on the path of a leaf, as `siblings` returns the nodes
   */
  convert<Converted>(convertNode: (node: Hash) => Converted): (at: number) => Converted[] {
    const { height, nodes, references } = this;
    const converted: Converted[] = [];
    const convertAt = (place: number) =>
      (converted[place] = convertNode(nodes.subarray(place * HASH_BYTES, (place + 1) * HASH_BYTES) as Hash));
    return (at) => {
      const path: Converted[] = [];
      for (let next = at * height; next < (at + 1) * height; next++) {
        const place = references[next];
        path.push(converted[place] ?? convertAt(place));
      }
      return path;
    };
  }
}

interface PathPlan {
  references: Uint32Array;
  /** The indices of the leaves, then of their ancestors at each level: ascending, each once. */
  levels: number[][];
}

function planPaths(leafIndices: readonly number[], height: number): PathPlan {
  const references = new Uint32Array(leafIndices.length * height);
  const levels: number[][] = [];
  const { distinct, ranks } = rank(leafIndices);
  let nodes = distinct;
  let first = 0;
  for (let level = 0; level < height; level++) {
    levels.push(nodes);
    for (let at = 0; at < ranks.length; at++) references[at * height + level] = first + ranks[at];
    first += nodes.length;
    nodes = moveUp(nodes, ranks);
  }
  return { references, levels };
}

/** Sorts values. @returns each once, ascending, and for each given value its place among them */
function rank(values: readonly number[]): { distinct: number[]; ranks: Uint32Array } {
  const distinct: number[] = [];
  const ranks = new Uint32Array(values.length);
  const order = Uint32Array.from(values.keys()).sort((a, b) => values[a] - values[b]);
  for (const at of order) {
    if (values[at] !== distinct[distinct.length - 1]) distinct.push(values[at]);
    ranks[at] = distinct.length - 1;
  }
  return { distinct, ranks };
}

/** The parents of nodes, ascending, each once. @param ranks places in `nodes`, which become places among the parents */
function moveUp(nodes: readonly number[], ranks: Uint32Array): number[] {
  const parents: number[] = [];
  const moved = new Uint32Array(nodes.length);
  for (let at = 0; at < nodes.length; at++) {
    const parent = Math.floor(nodes[at] / 2);
    if (parent !== parents[parents.length - 1]) parents.push(parent);
    moved[at] = parents.length - 1;
  }
  for (let at = 0; at < ranks.length; at++) ranks[at] = moved[ranks[at]];
  return parents;
}
