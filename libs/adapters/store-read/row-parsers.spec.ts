import { types } from 'pg';
import { ROW_PARSERS } from './row-parsers';

describe('the parser of a column of bytes', () => {
  const parse = ROW_PARSERS.getTypeParser(types.builtins.BYTEA);

  it('returns the bytes of each row', () => {
    const texts = ['\\x00ff', '\\x', '\\x00ff', '\\x01'];
    expect(texts.map((text) => parse(text))).toEqual(['00ff', '', '00ff', '01'].map((hex) => Buffer.from(hex, 'hex')));
  });

  it('returns the same object for the same value as in the row before', () => {
    const first = parse('\\xab');
    expect(parse('\\xab')).toBe(first);
    expect(parse('\\xac')).not.toBe(first);
    expect(ROW_PARSERS.getTypeParser(types.builtins.BYTEA)('\\xab')).not.toBe(first);
  });
});

it('other columns are parsed as pg does', () => {
  expect(ROW_PARSERS.getTypeParser(types.builtins.BOOL)('t')).toBe(true);
  expect(ROW_PARSERS.getTypeParser(types.builtins.INT8)('9223372036854775807')).toBe('9223372036854775807');
});
