import { type TreeProofs } from '@fresnel/adapters/tree-store';
import { hashElement } from '@fresnel/domain/trees';
import { rootOfProof, sha256 } from '@fresnel/testing/address-trees';

/** The proofs that do not hash up to the root that was read with them. */
export function invalidProofs({ head, items, paths }: TreeProofs): TreeProofs['items'] {
  const { type } = head.info;
  if (type !== 'addressV1' && type !== 'addressV2') throw new Error(`${type} trees have no addresses`);
  return items.filter(({ low }, at) => {
    if (!low || !paths) return true;
    return !head.root.equals(rootOfProof(hashElement(type, low, sha256), low.index, paths.siblings(at), sha256));
  });
}
