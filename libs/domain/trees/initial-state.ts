import { type Hash, type Hasher, ZERO_HASH } from '@fresnel/domain/primitives';
import { hashElement, type IndexedElement, MAX_ADDRESS } from './indexed-element';
import { type AddressTreeType } from './tree-info';

/** Contents of an address tree before its first address. */
export interface InitialState {
  elements: readonly IndexedElement[];
  /** Sequence number of the untouched tree. */
  seq: bigint;
  /** Where the first address goes. */
  nextIndex: number;
}

/**
 * AddressV1 starts with 0 and 2^248-1 as elements and has used the sequence numbers up to 3 for that. AddressV2 starts
 * with 0 alone; its element's `nextIndex` of 0 is bookkeeping and in no hash.
 */
const INITIAL_STATES: Record<AddressTreeType, InitialState> = {
  addressV1: {
    elements: [
      { index: 0, value: ZERO_HASH, nextIndex: 1, nextValue: MAX_ADDRESS },
      { index: 1, value: MAX_ADDRESS, nextIndex: 0, nextValue: ZERO_HASH },
    ],
    seq: 3n,
    nextIndex: 2,
  },
  addressV2: {
    elements: [{ index: 0, value: ZERO_HASH, nextIndex: 0, nextValue: MAX_ADDRESS }],
    seq: 0n,
    nextIndex: 1,
  },
};

export function initialStateOf(type: AddressTreeType): InitialState {
  return INITIAL_STATES[type];
}

/** Leaf hashes of the untouched tree by leaf index. */
export function initialLeaves(type: AddressTreeType, hasher: Hasher): Map<number, Hash> {
  return new Map(INITIAL_STATES[type].elements.map((element) => [element.index, hashElement(type, element, hasher)]));
}
