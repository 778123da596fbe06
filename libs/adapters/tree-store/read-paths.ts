import { type IndexedElement, MerklePaths, type NodePages, type TreeHead } from '@fresnel/domain/trees';
import { type TreeLeaves } from './tree-store';

/** The paths of elements of an address tree. @param pages all that are on the paths @returns null if an element is undefined */
export function pathsOfElements(
  pages: NodePages,
  elements: readonly (IndexedElement | undefined)[],
  { info }: TreeHead,
): MerklePaths | null {
  const indices = elements.flatMap((element) => (element ? [element.index] : []));
  return indices.length < elements.length ? null : MerklePaths.read(pages, indices, info.height);
}

/** Leaves of a state tree with their paths. @param pages all that are on the paths */
export function readLeaves(
  pages: NodePages,
  leafIndices: readonly number[],
  { info }: TreeHead,
): Pick<TreeLeaves, 'leaves' | 'paths'> {
  return {
    leaves: leafIndices.map((index) => pages.node({ level: 0, index })),
    paths: MerklePaths.read(pages, leafIndices, info.height),
  };
}
