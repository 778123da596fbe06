import { formatJson } from './json';

it('writes what JSON.stringify writes', () => {
  const value = { a: [1, -2.5, 'x"\n\ud800', true, null, [], {}], 'b"': { c: { d: '' } }, e: '漢😀' };
  expect(formatJson(value)).toBe(JSON.stringify(value, null, 2));
  for (const scalar of ['x', 1, null, false]) expect(formatJson(scalar)).toBe(JSON.stringify(scalar));
});

it('writes all digits', () => {
  expect(formatJson({ amount: 18_446_744_073_709_551_615n })).toBe('{\n  "amount": 18446744073709551615\n}');
});

it('escapes what is invisible or changes the direction of text', () => {
  const text = 'a\u202e\u2066\u200b\u007f\u2028\u{e0041}z';
  expect(formatJson(text)).toBe('"a\\u202e\\u2066\\u200b\\u007f\\u2028\\udb40\\udc41z"');
  expect(JSON.parse(formatJson(text))).toBe(text);
});
