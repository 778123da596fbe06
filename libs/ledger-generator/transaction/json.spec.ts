import { MAX_U64 } from '@fresnel/domain/primitives';
import { JsonText, writeJson } from './json';

describe('writeJson', () => {
  it('writes JSON that JSON.parse reads', () => {
    const value = { a: [1, -2.5, 'q"\n', null, true], b: { c: [] }, d: {} };
    expect(JSON.parse(writeJson(value))).toEqual(value);
  });

  it('writes every digit of a bigint, without quotes', () => {
    expect(writeJson([MAX_U64, 0n])).toBe('[18446744073709551615,0]');
  });

  it('keeps the order of members, and copies JSON text verbatim', () => {
    expect(writeJson({ b: new JsonText('{"x":1.0}'), a: 2 })).toBe('{"b":{"x":1.0},"a":2}');
  });
});
