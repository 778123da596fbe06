import { be32 } from '@fresnel/domain/primitives';
import { type IndexedElement } from '@fresnel/domain/trees';
import fc from 'fast-check';
import { sortLeaves } from './sort-leaves';
import { StoredElements } from './stored-elements';

function stored(elements: readonly IndexedElement[]): StoredElements {
  const all = new StoredElements();
  for (const element of elements) all.put(element);
  return all;
}

/** The elements of a list with the given values. Element 0 has the first one. */
function linked(values: readonly number[]): IndexedElement[] {
  const sorted = [...values].sort((a, b) => a - b);
  return values.map((value, index) => {
    const next = sorted.at(sorted.indexOf(value) + 1);
    const nextIndex = next === undefined ? 0 : values.indexOf(next);
    return { index, value: be32(value), nextIndex, nextValue: be32(next ?? 0) };
  });
}

const anyValues = fc
  .uniqueArray(fc.integer({ min: 1, max: 2 ** 31 - 1 }), { maxLength: 50 })
  .map((rest) => [0, ...rest]);

describe('sortLeaves', () => {
  it('sorts elements by value if they form a list, and if some are missing or point elsewhere', () => {
    const anyDamage = fc.record({
      missing: fc.array(fc.nat(50)),
      redirected: fc.array(fc.tuple(fc.nat(50), fc.nat(60))),
    });
    fc.assert(
      fc.property(anyValues, fc.option(anyDamage), (values, damage) => {
        const elements = linked(values)
          .map((one) => ({ ...one, nextIndex: new Map(damage?.redirected ?? []).get(one.index) ?? one.nextIndex }))
          .filter(({ index }) => !damage?.missing.includes(index));
        const expected = [...elements].sort((a, b) => a.value.compare(b.value)).map(({ index }) => index);
        expect([...sortLeaves(stored(elements))]).toEqual(expected);
      }),
    );
  });

  it('sorts nothing', () => {
    expect([...sortLeaves(stored([]))]).toEqual([]);
  });
});
