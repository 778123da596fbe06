import { type Hash, type Hasher, ZERO_HASH } from '@fresnel/domain/primitives';
import { hashElement, type IndexedElement, MAX_ADDRESS } from './indexed-element';
import { type TreeType } from './tree-info';

/** The contents of a tree before its first operation. */
export interface InitialState {
  elements: readonly IndexedElement[];
  /** Sequence number of the initial tree. */
  seq: bigint;
  /** Leaf index of the first leaf that an operation appends. */
  nextIndex: number;
}

/**
 * State trees start without leaves. AddressV1 starts with the elements 0 and 2^248-1, whose insertion has used the sequence numbers up
 * to 3. AddressV2 starts with the element 0; its `nextIndex` is not part of any hash.
 */
const INITIAL_STATES: Record<TreeType, InitialState> = {
  stateV1: { elements: [], seq: 0n, nextIndex: 0 },
  stateV2: { elements: [], seq: 0n, nextIndex: 0 },
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

export function initialStateOf(type: TreeType): InitialState {
  return INITIAL_STATES[type];
}

/** The leaf hashes of an initial tree by leaf index. A state tree has an empty leaf, so that the pages above it exist. */
export function initialLeaves(type: TreeType, hasher: Hasher): Map<number, Hash> {
  if (type === 'stateV1' || type === 'stateV2') return new Map([[0, ZERO_HASH]]);
  return new Map(INITIAL_STATES[type].elements.map((element) => [element.index, hashElement(type, element, hasher)]));
}
