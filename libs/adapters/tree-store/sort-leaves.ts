import { type StoredElements } from './stored-elements';

/** The leaf indexes of all elements, ascending by value. */
export function sortLeaves(elements: StoredElements): Uint32Array {
  return followLinks(elements) ?? sortByValue(elements);
}

/**
 * Follows the linked list that the elements form, from leaf 0 on.
 *
 * @returns null if the list does not contain every element, as in a recording that starts inside a tree's history
 */
function followLinks(elements: StoredElements): Uint32Array | null {
  const leaves = new Uint32Array(elements.size);
  let leaf = 0;
  for (let at = 0; at < leaves.length; at++) {
    if (!elements.has(leaf)) return null;
    if (at > 0 && elements.compare(leaves[at - 1], leaf) >= 0) return null;
    leaves[at] = leaf;
    leaf = elements.nextIndexOf(leaf);
  }
  return leaves;
}

/** Like `sortLeaves`, and does not read the links. */
export function sortByValue(elements: StoredElements): Uint32Array {
  return Uint32Array.from(elements.indexes()).sort((a, b) => elements.compare(a, b));
}
