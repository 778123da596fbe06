import { type Hash, type Hasher, ZERO_HASH } from '@fresnel/domain/primitives';
import { hashElement, type IndexedElement, MAX_ADDRESS } from './indexed-element';
import { type AddressTreeType } from './tree-info';

/** The contents of an address tree before its first insertion. */
export interface InitialState {
  elements: readonly IndexedElement[];
  /** Sequence number of the initial tree. */
  seq: bigint;
  /** Leaf index of the first address. */
  nextIndex: number;
}

/**
 * AddressV1 starts with the elements 0 and 2^248-1, whose insertion has used the sequence numbers up to 3. AddressV2
 * starts with the element 0; its `nextIndex` is not part of any hash.
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

/** The leaf hashes of an initial tree by leaf index. */
export function initialLeaves(type: AddressTreeType, hasher: Hasher): Map<number, Hash> {
  return new Map(INITIAL_STATES[type].elements.map((element) => [element.index, hashElement(type, element, hasher)]));
}
