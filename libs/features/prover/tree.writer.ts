import { type TreeCommit, type TreeReads } from '@fresnel/adapters/tree-store';
import { type Hasher, type TreeHasher } from '@fresnel/domain/primitives';
import { type TreeUpdate } from '@fresnel/domain/state';
import { createTree, isAddressTree, type TreeInfo, TreeMismatchError } from '@fresnel/domain/trees';
import { AddressTreeChanger } from './address-tree.changer';
import { type RootCheck } from './root-checks';
import { StateTreeChanger } from './state-tree.changer';
import { type TreeChanger } from './tree-changer';
import { type DraftOptions, type TreeBefore, TreeDraft } from './tree-draft';

/** Applies a series of updates to one tree, and collects the changes in one commit. */
export class TreeWriter {
  private readonly draft: TreeDraft;
  private readonly changes: TreeChanger;

  private constructor(before: TreeBefore, info: TreeInfo, options: DraftOptions) {
    const { tree, hasher } = options;
    this.draft = new TreeDraft(before, info, options);
    this.changes = isAddressTree(info)
      ? new AddressTreeChanger(this.draft, info.type, tree, hasher)
      : new StateTreeChanger(this.draft, hasher);
  }

  /**
   * Applies updates of one tree, in chain order. Repeated changes have no effect. Changes after a gap are not applied. An
   * update that contradicts the tree quarantines it in the state before that block. Of the changes of a quarantined tree only
   * the positions are recorded, so that operations are missing once it is rebuilt.
   *
   * @param updates at least one; each has all changes of its block
   * @param onRoot called for each root that is computed
   */
  static async apply(
    updates: readonly TreeUpdate[],
    tree: TreeReads,
    hasher: TreeHasher,
    acceptGaps: boolean,
    onRoot: (check: RootCheck) => void = () => undefined,
  ): Promise<TreeCommit> {
    const info = updates[updates.length - 1].tree;
    const { head } = tree;
    const before = head ? { head, elements: [], pages: new Map() } : createInitialTree(info, hasher.hash);
    const create = (report: (check: RootCheck) => void) =>
      new TreeWriter(before, info, { tree, hasher, acceptGaps, onRoot: report });
    const writer = create(onRoot);
    if (before.head.quarantineReason) return writer.ignore(updates);
    const mismatch = await writer.applyAll(updates);
    if (!mismatch) return writer.draft.commit();
    // The first writer has applied a part of the contradicting block: a second one stops before that block.
    const retry = create(() => undefined);
    await retry.applyAll(updates.slice(0, mismatch.at));
    retry.quarantine(updates[mismatch.at], mismatch.message);
    return retry.ignore(updates.slice(mismatch.at));
  }

  /** @returns the position of the update that contradicts the tree, and why; null if none does */
  private async applyAll(updates: readonly TreeUpdate[]): Promise<{ at: number; message: string } | null> {
    await this.changes.prepare(updates);
    for (const [at, update] of updates.entries()) {
      try {
        if (at === 0) await this.draft.rehash(); // compares the root, which may have been observed since the last series
        await this.applyUpdate(update);
        if (at === updates.length - 1) await this.draft.rehash();
      } catch (error) {
        if (!(error instanceof TreeMismatchError)) throw error;
        return { at, message: error.message };
      }
    }
    return null;
  }

  private async applyUpdate(update: TreeUpdate): Promise<void> {
    this.draft.startUpdate(update);
    for (const change of update.changes) {
      this.draft.see(change, update.slot);
      await this.changes.apply(change);
    }
    this.draft.endUpdate(update);
  }

  private quarantine(update: TreeUpdate, reason: string): void {
    this.draft.startUpdate(update);
    this.draft.head.quarantineReason = reason;
    this.draft.endUpdate(update);
  }

  /** Records the positions of updates that are not applied. Their blocks do not change the tree, and leave no undo records. */
  private ignore(updates: readonly TreeUpdate[]): TreeCommit {
    for (const { changes, slot } of updates) for (const change of changes) this.draft.see(change, slot);
    return this.draft.commit();
  }
}

/** A tree in its initial state. It is stored in one commit with its updates, so that a fenced writer stores neither. */
function createInitialTree(info: TreeInfo, hasher: Hasher): TreeBefore {
  const { head, elements, pages } = createTree(info, hasher);
  return { head, elements, pages: pages.changedPages() };
}
