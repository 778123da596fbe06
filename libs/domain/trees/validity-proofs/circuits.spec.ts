import { type CircuitSet, explainMissingCircuit } from './circuits';

const sizesOf = (version: 1 | 2, set: CircuitSet, of: (count: number) => [number, number]) =>
  Array.from({ length: 40 }, (_, at) => at + 1).filter((count) => {
    const [accounts, addresses] = of(count);
    return explainMissingCircuit({ version, accounts, addresses }, set) === null;
  });

describe('explainMissingCircuit', () => {
  it('has the counts of every circuit', () => {
    const accounts = (count: number): [number, number] => [count, 0];
    const addresses = (count: number): [number, number] => [0, count];
    expect(sizesOf(1, 'full', accounts)).toEqual([1, 2, 3, 4, 8]);
    expect(sizesOf(1, 'full', addresses)).toEqual([1, 2]);
    expect(sizesOf(2, 'full', accounts)).toHaveLength(20);
    expect(sizesOf(2, 'full', addresses)).toHaveLength(32);
    expect(sizesOf(1, 'small', accounts)).toEqual([1, 2, 3, 4]);
    expect(sizesOf(2, 'small', addresses)).toEqual([1, 2]);
    expect(sizesOf(1, 'full', (count) => [count, 2])).toEqual([1, 2, 3, 4]);
    expect(sizesOf(1, 'full', (count) => [1, count])).toEqual([1, 2]);
    expect(sizesOf(2, 'full', (count) => [4, count])).toEqual([1, 2, 3, 4]);
    expect(sizesOf(2, 'small', (count) => [count, 1])).toEqual([1, 2]);
    expect(sizesOf(2, 'small', (count) => [2, count])).toEqual([1]);
  });

  it.each<[number, number, string]>([
    [5, 0, '5 accounts cannot be proven together, but 1 to 4 or 8 accounts of V1 trees'],
    [0, 3, '3 addresses cannot be proven together, but 1 to 2 addresses of V1 trees'],
    [
      5,
      1,
      '5 accounts and 1 addresses cannot be proven together, but accounts+addresses 1+1, 1+2, 2+1, 2+2, 3+1, 3+2, 4+1, 4+2 of V1 trees',
    ],
  ])('names what is allowed instead of %d accounts and %d addresses', (accounts, addresses, sentence) => {
    expect(explainMissingCircuit({ version: 1, accounts, addresses }, 'full')).toBe(sentence);
  });
});
