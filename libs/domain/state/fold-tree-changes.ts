import { type BlockLink, blockLinkOf } from '@fresnel/domain/chain';
import { type CompressionEvent } from '@fresnel/domain/events';
import { type AddressTreeChange, type AddressTreeInfo, isAddressTree } from '@fresnel/domain/trees';
import { type SlotEvents } from './slot-events';
import { TreeDirectory } from './tree-directory';

/** The changes of one address tree in one block, in chain order. */
export interface TreeUpdate extends BlockLink {
  tree: AddressTreeInfo;
  changes: AddressTreeChange[];
}

/**
 * Folds the events of a slot into one update for each address tree of the slot. An update without changes announces a
 * new tree.
 */
export function foldTreeChanges(events: SlotEvents): TreeUpdate[] {
  const block = blockLinkOf(events);
  const trees = new TreeDirectory(events.trees);
  const updates = new Map<AddressTreeInfo, TreeUpdate>();
  for (const tree of trees.all().filter(isAddressTree)) {
    updates.set(tree, { ...block, tree, changes: [] });
  }
  for (const event of events.transactions.flatMap((transaction) => transaction.events)) {
    for (const { treeAccount, change } of changesOf(event)) {
      const tree = trees.find(treeAccount);
      if (tree && isAddressTree(tree)) updates.get(tree)?.changes.push(change);
    }
  }
  return [...updates.values()];
}

interface LocatedChange {
  treeAccount: AddressTreeInfo['tree'];
  change: AddressTreeChange;
}

function changesOf(event: CompressionEvent): LocatedChange[] {
  switch (event.kind) {
    case 'transition':
      return event.newAddresses.flatMap(({ tree, address, queueIndex }): LocatedChange[] =>
        queueIndex === null ? [] : [{ treeAccount: tree, change: { kind: 'address-queued', address, queueIndex } }],
      );
    case 'addresses-inserted': {
      const { seq, updates } = event;
      return [{ treeAccount: event.tree, change: { kind: 'address-insert', seq, updates } }];
    }
    case 'batch-address-append': {
      const { seq, oldNextIndex, newNextIndex, newRoot } = event;
      return [{ treeAccount: event.tree, change: { kind: 'address-batch', seq, oldNextIndex, newNextIndex, newRoot } }];
    }
    case 'leaves-nullified':
    case 'batch-append':
    case 'batch-nullify':
      return [];
  }
}
