import { type BlockLink, blockLinkOf } from '@fresnel/domain/chain';
import { type CompressionEvent } from '@fresnel/domain/events';
import { type AddressTreeChange, type AddressTreeInfo, isAddressTree } from '@fresnel/domain/trees';
import { type SlotEvents } from './slot-events';
import { TreeDirectory } from './tree-directory';

/** Changes of one address tree by one block, in chain order. */
export interface TreeUpdate extends BlockLink {
  tree: AddressTreeInfo;
  changes: AddressTreeChange[];
}

/** The updates of a slot: one for each address tree it names, without changes for a tree that it only discovers. */
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
