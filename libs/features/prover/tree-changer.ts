import { type TreeUpdate } from '@fresnel/domain/state';
import { type TreeChange } from '@fresnel/domain/trees';

/** Applies the changes of one kind of tree to a draft. */
export interface TreeChanger {
  /** Reads and hashes what a series of updates needs, before the first one is applied. */
  prepare(updates: readonly TreeUpdate[]): Promise<void>;
  /** @throws TreeMismatchError if the change contradicts the tree */
  apply(change: TreeChange): Promise<void>;
}
