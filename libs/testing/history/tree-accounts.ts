import { LIVE_PROGRAMS } from '@fresnel/domain/events';
import { keyOf, toSlot } from '@fresnel/domain/primitives';
import { type TreeHead } from '@fresnel/domain/trees';
import { encodeQueueAccount, encodeTreeAccount, type FakeNode } from '@fresnel/testing/chain';

/** Gives a node the accounts of trees and queues, as they are after the blocks of which an index has computed the trees. */
export function setTreeAccounts({ accounts, tip }: FakeNode, heads: readonly TreeHead[]): void {
  const owner = LIVE_PROGRAMS.accountCompression;
  for (const { info, seq, nextIndex, queueEnd, inputQueueEnd, root } of heads) {
    const ends = { queueEnd: info.type === 'stateV2' ? inputQueueEnd : queueEnd, inputQueueEnd };
    const observed = { slot: toSlot(tip), seq, nextIndex: BigInt(nextIndex), ...ends, root };
    accounts.set(info.tree, { owner, data: encodeTreeAccount({ ...info, observed }) });
    if (keyOf(info.queue) !== keyOf(info.tree)) {
      const data = encodeQueueAccount({ ...info, outputQueueEnd: queueEnd });
      accounts.set(info.queue, { owner, data });
    }
  }
}
