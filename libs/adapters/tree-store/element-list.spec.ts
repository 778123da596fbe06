import { be32 } from '@fresnel/domain/primitives';
import { type IndexedElement } from '@fresnel/domain/trees';
import { ElementList } from './element-list';
import { decodeElement } from './tree-records';

const element = (index: number, value: number, nextIndex: number): IndexedElement => ({
  ...{ index, value: be32(value), nextIndex, nextValue: be32(0) },
});

/** The leaf indexes of a list in order. */
function orderOf(size: number, elements: readonly IndexedElement[]): number[] {
  const list = new ElementList(size);
  for (const one of elements) list.put(one);
  return Array.from(list.inOrder(), (record) => decodeElement(record).index);
}

describe('ElementList', () => {
  it('follows the links from leaf 0 on', () => {
    expect(orderOf(4, [element(3, 70, 0), element(0, 0, 2), element(2, 20, 1), element(1, 50, 3)])).toEqual([
      0, 2, 1, 3,
    ]);
  });

  it.each([
    ['leads to a leaf that is not there', [element(0, 0, 4), element(2, 20, 3), element(3, 30, 0)], [0, 2, 3]],
    ['returns too early', [element(0, 0, 2), element(2, 20, 0), element(3, 30, 0)], [0, 2, 3]],
    ['has no start', [element(3, 30, 0), element(2, 20, 3)], [2, 3]],
  ])('has each element once if the list %s', (_, elements, order) => {
    expect(orderOf(5, elements)).toEqual(order);
  });
});
