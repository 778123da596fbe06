import { type Hasher } from '@fresnel/domain/primitives';
import { type TreeUpdate } from '@fresnel/domain/state';
import { hashElement, type IndexedElement, initialStateOf, InsertPlan } from '@fresnel/domain/trees';
import { testAddress, testAddressTree } from '@fresnel/testing/address-trees';
import { blockLinkAt } from '@fresnel/testing/chain';

/**
 * The updates of a V1 tree by consecutive blocks, with the leaves that the chain reports. Block `n` is at slot `n + 1`
 * and inserts `counts[n]` addresses. Faster than `AddressTreeModel`, because no nodes are hashed.
 */
export function v1Updates(counts: readonly number[], hasher: Hasher): TreeUpdate[] {
  const tree = testAddressTree('addressV1');
  const { elements, seq: initialSeq, nextIndex } = initialStateOf('addressV1');
  const plan = new InsertPlan((value) => elements.findLast((one) => one.value.compare(value) < 0));
  const hash = (element: IndexedElement) => hashElement('addressV1', element, hasher);
  let inserted = 0;
  return counts.map((count, block) => {
    const seq = initialSeq + BigInt(2 * inserted) + 1n;
    const updates = Array.from({ length: count }, () => {
      const { low, high } = plan.insert(nextIndex + inserted, testAddress(inserted));
      inserted++;
      return { low, lowHash: hash(low), high, highHash: hash(high) };
    });
    return { ...blockLinkAt(block + 1), tree, changes: [{ kind: 'address-insert', seq, updates }] };
  });
}
