import { be32, hashInSeries, type HashSeries } from '@fresnel/domain/primitives';
import fc from 'fast-check';
import { poseidon } from './poseidon';
import { poseidonSeries } from './poseidon-series';

const VALUES = 5;

/** Series whose operands are any values and any earlier results. */
const series = fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 40 }).map((pairs): HashSeries => {
  const operand = (number: number, earlier: number) => {
    const choice = number % (VALUES + earlier);
    return choice < VALUES ? choice : -1 - (choice - VALUES);
  };
  const operands = pairs.flatMap(([one, other], earlier) => [operand(one, earlier), operand(other, earlier)]);
  const values = Buffer.concat(Array.from({ length: VALUES }, (_, at) => be32(at)));
  return { values, operands: Int32Array.from(operands) };
});

describe('poseidonSeries', () => {
  it('has the results of hashing one by one', () => {
    fc.assert(
      fc.property(series, (each) => {
        expect(poseidonSeries(each)).toEqual(hashInSeries(each, poseidon));
      }),
      { numRuns: 60 },
    );
  });
});
