import { be32, type Hash } from '@fresnel/domain/primitives';
import { type IndexedElement } from '@fresnel/domain/trees';
import { numbers } from '@fresnel/testing/trees';
import fc from 'fast-check';
import { SortedElements } from './sorted-elements';
import { encodeElement } from './tree-records';

const element = (index: number, value: number): IndexedElement => ({
  index,
  value: be32(value),
  nextIndex: 0,
  nextValue: be32(0),
});

/** The elements, added in their order. */
function sorted(all: readonly IndexedElement[]): SortedElements {
  const elements = new SortedElements();
  for (const one of all) elements.put(encodeElement(one));
  return elements;
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
        for (const one of [...expected.values()].slice(given)) elements.put(encodeElement(one));
        for (const index of replaced.filter((index) => index < values.length)) {
          expected.set(index, { ...element(index, values[index]), nextIndex: 7 });
          elements.put(encodeElement({ ...element(index, values[index]), nextIndex: 7 }));
        }
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

  it.each([1, -1])('can be filled in order (%i)', (direction) => {
    const values = numbers(1, 1_000).map((value) => (direction > 0 ? value : 1_000 - value));
    const elements = sorted(values.map((value) => element(value, value)));
    expect(numbers(1, 999).map((value) => elements.findLow(be32(value + 1))?.index)).toEqual(numbers(1, 999));
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
    for (const number of shuffled) elements.put(encodeElement(element(number, 2 * number)));
    expect(found()).toEqual(numbers(0, count).map((number) => [number, true, false]));
    const isRemoved = (number: number) => number % 3 !== 0;
    for (const number of shuffled.filter(isRemoved)) elements.remove(be32(2 * number));
    expect(found()).toEqual(numbers(0, count).map((number) => [number - (number % 3), !isRemoved(number), false]));
    expect(elements.findLow(be32(0))).toBeUndefined();
  });
});
