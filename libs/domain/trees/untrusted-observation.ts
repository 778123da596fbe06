import { type Slot } from '@fresnel/domain/primitives';
import { initialStateOf } from './initial-state';
import { hasFirstOperation, type TreeHead } from './tree';
import { type TreeInfo } from './tree-info';

/**
 * Marks the observation of a tree's account as untrusted after a block was orphaned: the account may have been read on
 * the orphaned branch, and an observation does not name its branch. Untrusted are the orphaned slot, and all later
 * slots up to the newest observation made before the fork was known.
 */
export function markUntrusted(head: TreeHead, slot: Slot): TreeHead {
  const { untrusted, info } = head;
  const to = info.observed.slot > slot ? info.observed.slot : slot;
  const isSameFork = untrusted !== null && slot <= untrusted.to;
  const range = isSameFork
    ? { from: slot < untrusted.from ? slot : untrusted.from, to: to > untrusted.to ? to : untrusted.to }
    : { from: slot, to };
  const marked = { ...head, untrusted: range };
  return { ...marked, info: trustedInfo(marked, info) };
}

/**
 * The metadata of a tree without an untrusted observation.
 *
 * A tree without an applied operation keeps the numbers of the observation: they may show that its first operations
 * were not indexed. If they are wrong, the tree only stays unservable until its first operation.
 */
export function trustedInfo(head: TreeHead, info: TreeInfo): TreeInfo {
  const { slot } = info.observed;
  const { untrusted } = head;
  if (!untrusted || slot < untrusted.from || slot > untrusted.to) return info;
  const { seq, nextIndex } = initialStateOf(info.type);
  if (!hasFirstOperation(head)) return { ...info, observed: { ...info.observed, root: null } };
  const observed = { slot, seq, nextIndex: BigInt(nextIndex), queueEnd: 0n, inputQueueEnd: 0n, root: null };
  return { ...info, observed };
}
