import { sha256, testAddress, testAddressTree } from '@fresnel/testing/address-trees';
import { toSlot, ZERO_HASH } from '@fresnel/domain/primitives';
import fc from 'fast-check';
import { createTree } from './tree';
import { type IndexedElement } from './indexed-element';
import { InsertPlan } from './plan-inserts';
import { revertRecords, stateOf, UndoDraft } from './undo-record';

const { head, elements } = createTree(testAddressTree('addressV1'), sha256);
const before = stateOf(head, true);

/** Inserts elements in blocks of the given sizes, and returns the undo record of each block. */
function insertBlocks(sizes: readonly number[]) {
  const list = new Map(elements.map((element) => [element.index, element]));
  const findLow = (value: Buffer) => {
    const below = [...list.values()].filter((element) => element.value.compare(value) < 0);
    return below.sort((a, b) => a.value.compare(b.value)).at(-1);
  };
  const states = [new Map(list)];
  const records = sizes.map((size, at) => {
    const draft = new UndoDraft();
    for (let count = 0; count < size; count++) {
      const { low, high } = new InsertPlan(findLow).insert(list.size, testAddress(list.size));
      list.set(low.index, low).set(high.index, high);
      draft.recordInsert(low, high);
    }
    states.push(new Map(list));
    return draft.finish({ slot: toSlot(at), blockhash: ZERO_HASH }, before);
  });
  return { list, states, records };
}

describe('undo records', () => {
  it('restore the elements before any block in one step', () => {
    const sizes = fc.array(fc.nat({ max: 6 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(sizes, fc.nat(), (sizes, position) => {
        const { list, states, records } = insertBlocks(sizes);
        const from = position % sizes.length;
        const { rewritten, removed } = revertRecords(records.slice(from));
        const restored = new Map<number, IndexedElement>(list);
        for (const { index, value } of removed) {
          expect(restored.get(index)?.value).toEqual(value);
          restored.delete(index);
        }
        for (const [index, element] of rewritten) restored.set(index, element);
        expect(restored).toEqual(states[from]);
      }),
    );
  });

  it('contain an element once if a block rewrote it several times', () => {
    const { records } = insertBlocks([6]);
    expect(records[0].appended.map(({ index }) => index)).toEqual([2, 3, 4, 5, 6, 7]);
    expect(records[0].rewritten).toEqual([elements[0]]);
  });
});
