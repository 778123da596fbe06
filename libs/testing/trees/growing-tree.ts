import { NO_QUEUE_CHANGES, type TreeCommit } from '@fresnel/adapters/tree-store';
import { type Hash, type Hasher } from '@fresnel/domain/primitives';
import {
  type AddressTreeInfo,
  hashElement,
  NodePages,
  type PageId,
  NO_CHANGES,
  NO_POSITIONS,
} from '@fresnel/domain/trees';
import { AddressTreeModel } from '@fresnel/testing/address-trees';

/** A V1 tree whose commits contain only what an insertion changed, like those of the writer. */
export class GrowingTree {
  private readonly model: AddressTreeModel;
  private readonly pages = new Map<PageId, Buffer>();
  private hasInitialState = false;

  constructor(
    private readonly info: AddressTreeInfo,
    private readonly hasher: Hasher,
  ) {
    this.model = new AddressTreeModel(info, hasher);
  }

  /** Inserts addresses. The first commit also contains the initial elements. */
  insert(...addresses: Hash[]): TreeCommit {
    const { updates } = this.model.insert(...addresses);
    const { seq, nextIndex, root, queueEnd } = this.model;
    const elements = this.hasInitialState ? updates.flatMap(({ low, high }) => [low, high]) : [...this.model.all];
    this.hasInitialState = true;
    const view = new NodePages((id) => this.pages.get(id), this.hasher);
    const leaves = elements.map((one) => [one.index, hashElement(this.info.type, one, this.hasher)] as const);
    view.writeLeaves(new Map(leaves), this.info.height);
    for (const [id, page] of view.changedPages()) this.pages.set(id, page);
    const positions = { ...NO_POSITIONS, seq, queueEnd };
    return {
      head: {
        info: this.info,
        ...positions,
        nextIndex,
        root,
        inputQueueStart: 0n,
        seen: positions,
        quarantineReason: null,
        changes: NO_CHANGES,
        untrusted: null,
      },
      removed: [],
      elements,
      pages: view.changedPages(),
      queue: NO_QUEUE_CHANGES,
      inputQueue: NO_QUEUE_CHANGES,
      undo: [],
    };
  }
}
