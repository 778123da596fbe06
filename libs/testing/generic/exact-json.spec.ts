import { ExactJson, parseExactJson, toExactForm, writeExactJson } from './exact-json';

const VALUES = {
  short: 999_999_999_999_999n,
  long: 18_446_744_073_709_551_615n,
  list: [1n, 1_000_000_000_000_000n, 2, null, 'text', true, [9_007_199_254_740_993n]],
  text: '12345678901234567890',
  nothing: undefined,
  key: Buffer.alloc(32, 7),
  bytes: Buffer.from('0102', 'hex'),
  json: new ExactJson('{"lamports": 9007199254740993, "more": [ 9007199254740993 , 9007199254740995 ]}'),
};

describe('exact JSON', () => {
  it('keeps long numbers as text, and no other text', () => {
    expect(
      parseExactJson('[1234567890123456,1234567890123457 , {"a": 12345678901234567890},"1234567890123456"]'),
    ).toEqual(['1234567890123456', '1234567890123457', { a: '12345678901234567890' }, '1234567890123456']);
    expect(parseExactJson('[123456789012345, 1.5, "a:1"]')).toEqual([123_456_789_012_345, 1.5, 'a:1']);
  });

  it('has the same form whether or not it was written', () => {
    expect(toExactForm(VALUES)).toEqual(parseExactJson(writeExactJson(VALUES)));
    expect(toExactForm(VALUES.json)).toEqual({
      lamports: '9007199254740993',
      more: ['9007199254740993', '9007199254740995'],
    });
  });
});
