import { be32, type BatchHasher, HASH_BYTES, type Hash, type Hasher } from '@fresnel/domain/primitives';
import { type AddressTreeType } from './tree-info';

/**
 * An element of an indexed Merkle tree, whose leaves form a sorted linked list.
 *
 * The leaf of an element proves that no address between `value` and `nextValue` (both exclusive) is in the tree.
 */
export interface IndexedElement {
  /** Leaf index. */
  index: number;
  /** 32 bytes, big endian. */
  value: Hash;
  /** Leaf index of the element with the next larger value. */
  nextIndex: number;
  nextValue: Hash;
}

/** 2^248-1: above every derived address, whose first byte is zero. */
export const MAX_ADDRESS = Buffer.from(`00${'ff'.repeat(31)}`, 'hex') as Hash;

/** AddressV1: H(value, next index, next value). AddressV2: H(value, next value). */
export function hashElement(type: AddressTreeType, element: IndexedElement, hasher: Hasher): Hash {
  return hasher(hashInputs(type, element));
}

/** Like `hashElement` for many elements. */
export async function hashElements(
  type: AddressTreeType,
  elements: readonly IndexedElement[],
  hashBatch: BatchHasher,
): Promise<Hash[]> {
  if (elements.length === 0) return [];
  const inputs = elements.flatMap((element) => hashInputs(type, element));
  const hashes = await hashBatch(inputs.length / elements.length, Buffer.concat(inputs));
  return elements.map((_, at) => hashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES) as Hash);
}

function hashInputs(type: AddressTreeType, { value, nextIndex, nextValue }: IndexedElement): Buffer[] {
  return type === 'addressV1' ? [value, be32(nextIndex), nextValue] : [value, nextValue];
}

export function isSameElement(a: IndexedElement, b: IndexedElement): boolean {
  return (
    a.index === b.index && a.nextIndex === b.nextIndex && a.value.equals(b.value) && a.nextValue.equals(b.nextValue)
  );
}
