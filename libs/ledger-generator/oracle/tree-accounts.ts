import { type Hash, toSlot } from '@fresnel/domain/primitives';
import { type TreeInfo } from '@fresnel/domain/trees';
import { type AddressTree } from '../trees/address-tree';
import { type StateTreeV1 } from '../trees/state-tree-v1';
import { StateTreeV2 } from '../trees/state-tree-v2';
import { type LedgerRecords } from './ledger-records';

/** A tree of a generated ledger, as its accounts on the chain have it. */
export interface LedgerTree {
  info: TreeInfo;
  /** Spent accounts that wait in the nullifier queue of a V1 state tree; empty for other trees. */
  waiting: Hash[];
  /** Leaf index that the output queue of a V2 state tree assigns next; 0 for other trees. */
  outputQueueEnd: bigint;
}

/** The trees after the last applied block. */
export function listTrees({ stateTrees, addressTrees, slot }: LedgerRecords): LedgerTree[] {
  const states = [...stateTrees.values()].map((tree) =>
    tree instanceof StateTreeV2 ? describeStateV2(tree) : describeStateV1(tree),
  );
  const trees = [...states, ...addressTrees.map(describeAddresses)];
  return trees.map(({ info, ...rest }) => ({
    ...rest,
    info: { ...info, observed: { ...info.observed, slot: toSlot(slot) } },
  }));
}

function describeStateV1({ info, nodes, seq, nextIndex, nullifierQueue }: StateTreeV1): LedgerTree {
  const observed = { ...info.observed, seq, nextIndex: BigInt(nextIndex), root: nodes.root() };
  const waiting = nullifierQueue.map((leafIndex) => nodes.leaf(leafIndex));
  return { info: { ...info, observed }, waiting, outputQueueEnd: 0n };
}

function describeStateV2(tree: StateTreeV2): LedgerTree {
  const { info, nodes, seq, appendedEnd } = tree;
  const inputQueueEnd = tree.inputPositionAfter(0);
  // The tree's account has the end of the queue that it contains: that of nullifiers.
  const ends = { queueEnd: inputQueueEnd, inputQueueEnd };
  const observed = { ...info.observed, seq, nextIndex: BigInt(appendedEnd), ...ends, root: nodes.root() };
  return { info: { ...info, observed }, waiting: [], outputQueueEnd: BigInt(tree.positionAfter(0).leafIndex) };
}

function describeAddresses(tree: AddressTree): LedgerTree {
  const { info, nodes, seq, nextIndex } = tree;
  const queueEnd = info.type === 'addressV2' ? tree.queuePositionAfter(0) : 0n;
  const observed = { ...info.observed, seq, nextIndex: BigInt(nextIndex), queueEnd, root: nodes.root() };
  return { info: { ...info, observed }, waiting: [], outputQueueEnd: 0n };
}
