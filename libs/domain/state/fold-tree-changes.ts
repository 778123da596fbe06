import { type BlockLink, blockLinkOf } from '@fresnel/domain/chain';
import { type CompressionEvent, type InputAccount, type TransitionEvent } from '@fresnel/domain/events';
import { isFieldElement } from '@fresnel/domain/poseidon';
import { keyOf, type Pubkey } from '@fresnel/domain/primitives';
import { type LeafValue, type TreeChange, type TreeInfo } from '@fresnel/domain/trees';
import { type SlotEvents } from './slot-events';
import { TreeDirectory } from './tree-directory';

/** The changes of one tree in one block, in chain order. */
export interface TreeUpdate extends BlockLink {
  tree: TreeInfo;
  changes: TreeChange[];
}

/** Folds the events of a slot into one update for each tree of the slot. An update without changes announces a new tree. */
export function foldTreeChanges(events: SlotEvents): TreeUpdate[] {
  const block = blockLinkOf(events);
  const trees = new TreeDirectory(events.trees);
  const updates = new Map<TreeInfo, TreeUpdate>();
  for (const tree of trees.all()) updates.set(tree, { ...block, tree, changes: [] });
  for (const event of events.transactions.flatMap((transaction) => transaction.events)) {
    for (const { treeAccount, change } of changesOf(event, trees)) {
      const tree = trees.find(treeAccount);
      if (tree) updates.get(tree)?.changes.push(change);
    }
  }
  return [...updates.values()];
}

interface LocatedChange {
  /** A tree, or its queue. */
  treeAccount: Pubkey;
  change: TreeChange;
}

function changesOf(event: CompressionEvent, trees: TreeDirectory): LocatedChange[] {
  switch (event.kind) {
    case 'transition':
      return [...event.inputs.flatMap(nullifierOf), ...changesOfOutputs(event, trees), ...changesOfAddresses(event)];
    case 'addresses-inserted': {
      const { seq, updates } = event;
      return [{ treeAccount: event.tree, change: { kind: 'address-insert', seq, updates } }];
    }
    case 'leaves-nullified': {
      const { tree, seq } = event;
      const leafIndices = event.leafIndices.map(Number);
      return [{ treeAccount: tree, change: { kind: 'leaves-nullified', seq, leafIndices } }];
    }
    case 'leaf-migrated': {
      const { queue, hash } = event;
      return trees.find(queue)?.type === 'stateV2'
        ? [{ treeAccount: queue, change: { kind: 'leaf-migrated', hash } }]
        : [];
    }
    case 'batch-address-append':
    case 'batch-append':
    case 'batch-nullify': {
      const { seq, oldNextIndex, newNextIndex, newRoot } = event;
      const kind = BATCHES[event.kind];
      return [{ treeAccount: event.tree, change: { kind, seq, oldNextIndex, newNextIndex, newRoot } }];
    }
  }
}

const BATCHES = {
  'batch-address-append': 'address-batch',
  'batch-append': 'append-batch',
  'batch-nullify': 'nullify-batch',
} as const;

function changesOfAddresses({ newAddresses }: TransitionEvent): LocatedChange[] {
  return newAddresses.flatMap(({ tree, address, queueIndex }): LocatedChange[] =>
    queueIndex === null ? [] : [{ treeAccount: tree, change: { kind: 'address-queued', address, queueIndex } }],
  );
}

/** No nullifier can be hashed from other bytes than field elements. The position is then missing in the input queue. */
function nullifierOf({ hash, nullification }: InputAccount): LocatedChange[] {
  if (!nullification || !isFieldElement(hash) || !isFieldElement(nullification.txHash)) return [];
  const { tree, leafIndex, queueIndex, txHash } = nullification;
  return [{ treeAccount: tree, change: { kind: 'nullifier-queued', queueIndex, leafIndex, hash, txHash } }];
}

/** V2: outputs enter the queue one by one. V1: the outputs of a tree are one change. */
function changesOfOutputs({ outputs, sequenceNumbers }: TransitionEvent, trees: TreeDirectory): LocatedChange[] {
  const inV1 = new Map<TreeInfo, LeafValue[]>();
  const changes: LocatedChange[] = [];
  for (const { hash, leafIndex, treeAccount } of outputs) {
    const tree = trees.find(treeAccount);
    if (tree?.type === 'stateV2') changes.push({ treeAccount, change: { kind: 'leaf-queued', leafIndex, hash } });
    if (tree?.type === 'stateV1') inV1.set(tree, [...(inV1.get(tree) ?? []), { leafIndex, hash }]);
  }
  const seqOf = new Map(sequenceNumbers.map(({ tree, seq }) => [keyOf(tree), seq]));
  for (const [{ tree }, leaves] of inV1) {
    const seq = seqOf.get(keyOf(tree));
    // Without a number the leaves are missing, and the transaction is a dead letter.
    if (seq === undefined) continue;
    changes.push({ treeAccount: tree, change: { kind: 'leaves-appended', seq, leaves } });
  }
  return changes;
}
