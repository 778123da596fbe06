import { type Slot } from '@fresnel/domain/primitives';
import { type AddressTreeHead, type AddressTreeInfo } from './address-tree';
import { genesisOf } from './genesis';

/**
 * Says of a tree that the chain has left a block: its account may have been read on the branch that was left. Nothing
 * tells which branch a reading is of, so none of the abandoned slots is believed, and no later one that was made before
 * this was known.
 */
export function doubtFrom(head: AddressTreeHead, slot: Slot): AddressTreeHead {
  const { doubted, info } = head;
  const to = info.observed.slot > slot ? info.observed.slot : slot;
  const isSameFork = doubted !== null && slot <= doubted.to;
  const range = isSameFork
    ? { from: slot < doubted.from ? slot : doubted.from, to: to > doubted.to ? to : doubted.to }
    : { from: slot, to };
  const doubting = { ...head, doubted: range };
  return { ...doubting, info: believedInfo(doubting, info) };
}

/**
 * What is told of a tree, less the reading of its account where that is doubted.
 *
 * A tree that never had an operation here keeps the numbers: they may say that its beginning was missed, and the worst
 * that comes of them is that it is refused until its first operation.
 */
export function believedInfo({ doubted, ...head }: AddressTreeHead, info: AddressTreeInfo): AddressTreeInfo {
  const { slot } = info.observed;
  if (!doubted || slot < doubted.from || slot > doubted.to) return info;
  const { seq, nextIndex } = genesisOf(info.type);
  const isUntouched = head.seq === seq && head.queueEnd === 0n;
  if (isUntouched) return { ...info, observed: { ...info.observed, root: null } };
  return { ...info, observed: { slot, seq, nextIndex: BigInt(nextIndex), queueEnd: 0n, root: null } };
}
