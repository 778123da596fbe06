import { be32, type Hash } from '@fresnel/domain/primitives';
import { type IndexedElement } from '@fresnel/domain/trees';
import { numbers } from '@fresnel/testing/trees';
import fc from 'fast-check';
import { SortedElements } from './sorted-elements';
import { StoredElements } from './stored-elements';

const element = (index: number, value: number): IndexedElement => ({
  index,
  value: be32(value),
  nextIndex: 0,
  nextValue: be32(0),
});

function sorted(elements: readonly IndexedElement[]): SortedElements {
  const stored = new StoredElements();
  for (const one of elements) stored.put(one);
  return new SortedElements(stored);
}

/** The low element, found by a linear scan. */
function lowAmong(elements: Iterable<IndexedElement>, value: Hash): IndexedElement | undefined {
  const below = [...elements].filter((one) => one.value.compare(value) < 0);
  return below.sort((a, b) => a.value.compare(b.value)).at(-1);
}

describe('SortedElements', () => {
  it('finds the same elements as a linear scan, after any insertions and replacements', () => {
    const values = fc.uniqueArray(fc.integer({ min: 0, max: 60 }), { maxLength: 40 });
    fc.assert(
      fc.property(values, fc.nat(40), fc.array(fc.nat(39)), (values, given, replaced) => {
        const expected = new Map(values.map((value, index) => [index, element(index, value)]));
        const elements = sorted([...expected.values()].slice(0, given));
        for (const one of [...expected.values()].slice(given)) elements.put(one);
        for (const index of replaced.filter((index) => index < values.length)) {
          expected.set(index, { ...element(index, values[index]), nextIndex: 7 });
          elements.put({ ...element(index, values[index]), nextIndex: 7 });
        }
        expect(elements.size).toBe(expected.size);
        const asked = numbers(0, 62).map(be32);
        expect(asked.map((value) => elements.has(value))).toEqual(
          numbers(0, 62).map((value) => values.includes(value)),
        );
        expect(asked.map((value) => elements.findLow(value))).toEqual(
          asked.map((value) => lowAmong(expected.values(), value)),
        );
      }),
      { numRuns: 50 },
    );
  });

  it('moves an element whose value changes', () => {
    const elements = sorted([element(0, 0), element(1, 10), element(2, 20)]);
    elements.put(element(1, 30));
    expect([elements.has(be32(10)), elements.has(be32(30)), elements.size]).toEqual([false, true, 3]);
    expect(elements.findLow(be32(31))).toEqual(element(1, 30));
    expect(elements.findLow(be32(20))).toEqual(element(0, 0));
  });

  it('can be created with many elements', () => {
    const count = 20_000;
    const elements = sorted(Array.from({ length: count }, (_, index) => element(index, count - index)));
    expect(elements.size).toBe(count);
    expect(elements.findLow(be32(count + 1))?.index).toBe(0);
  });

  it('keeps the order over many chunks, while elements come and go', () => {
    const count = 5_000;
    // 1,999 and 5,000 have no common divisor, so every number occurs once.
    const shuffled = numbers(0, count).map((at) => (at * 1_999) % count);
    const elements = new SortedElements();
    /** For each number, the index of the low element, and whether there is an element of that value. */
    const found = () =>
      numbers(0, count).map((number) => [
        elements.findLow(be32(2 * number + 1))?.index,
        elements.has(be32(2 * number)),
        elements.has(be32(2 * number + 1)),
      ]);
    for (const number of shuffled) elements.put(element(number, 2 * number));
    expect(found()).toEqual(numbers(0, count).map((number) => [number, true, false]));
    const isRemoved = (number: number) => number % 3 !== 0;
    for (const number of shuffled.filter(isRemoved)) elements.remove({ index: number, value: be32(2 * number) });
    expect(found()).toEqual(numbers(0, count).map((number) => [number - (number % 3), !isRemoved(number), false]));
    expect(elements.findLow(be32(0))).toBeUndefined();
    expect(elements.size).toBe(shuffled.filter((number) => !isRemoved(number)).length);
  });
});
