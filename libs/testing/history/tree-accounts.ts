import { LIVE_PROGRAMS } from '@fresnel/domain/events';
import { keyOf, type Pubkey, toSlot } from '@fresnel/domain/primitives';
import { type TreeHead } from '@fresnel/domain/trees';
import { type LedgerOracle, type LedgerTree } from '@fresnel/ledger-generator';
import {
  encodeNullifierQueueAccount,
  encodeQueueAccount,
  encodeTreeAccount,
  type FakeAccount,
  type FakeNode,
} from '@fresnel/testing/chain';

/** Gives the node of a ledger the accounts of trees and queues after the blocks that the oracle knows. */
export function addTreeAccounts({ node, oracle }: { node: FakeNode; oracle: LedgerOracle }): void {
  for (const tree of oracle.trees()) setAccounts(node, tree);
}

/** Gives a node the accounts of trees whose state an index has computed from all blocks. */
export function setTreeAccounts(node: FakeNode, heads: readonly TreeHead[]): void {
  for (const { info, seq, nextIndex, queueEnd, inputQueueEnd, root } of heads) {
    const ends = { queueEnd: info.type === 'stateV2' ? inputQueueEnd : queueEnd, inputQueueEnd };
    const observed = { slot: toSlot(node.tip), seq, nextIndex: BigInt(nextIndex), ...ends, root };
    const outputQueueEnd = info.type === 'stateV2' ? queueEnd : 0n;
    setAccounts(node, { info: { ...info, observed }, waiting: [], outputQueueEnd });
  }
}

function setAccounts({ accounts }: FakeNode, tree: LedgerTree): void {
  for (const { key, ...account } of accountsOf(tree)) accounts.set(key, account);
}

/** The accounts of a tree and its queue. */
export function accountsOf({ info, waiting, outputQueueEnd }: LedgerTree): (FakeAccount & { key: Pubkey })[] {
  const owner = LIVE_PROGRAMS.accountCompression;
  const tree = { key: info.tree, owner, data: encodeTreeAccount(info) };
  if (keyOf(info.queue) === keyOf(info.tree)) return [tree];
  const isNullifierQueue = info.type === 'stateV1';
  const data = isNullifierQueue ? encodeNullifierQueueAccount(info, waiting) : encodeQueueAccount(info, outputQueueEnd);
  return [tree, { key: info.queue, owner, data }];
}
