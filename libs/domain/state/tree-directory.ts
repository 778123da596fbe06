import { keyOf, type Pubkey } from '@fresnel/domain/primitives';
import { type TreeInfo } from '@fresnel/domain/trees';

/** Finds trees by the key of the tree or of its queue. */
export class TreeDirectory {
  private readonly byKey = new Map<string, TreeInfo>();

  constructor(trees: Iterable<TreeInfo> = []) {
    for (const tree of trees) this.add(tree);
  }

  /** Adds a tree, or replaces its metadata. */
  add(info: TreeInfo): void {
    this.byKey.set(keyOf(info.tree), info);
    this.byKey.set(keyOf(info.queue), info);
  }

  find(treeOrQueue: Pubkey): TreeInfo | undefined {
    return this.byKey.get(keyOf(treeOrQueue));
  }

  all(): TreeInfo[] {
    return [...new Set(this.byKey.values())];
  }
}
