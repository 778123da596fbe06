import { formatInteger, formatSol, shorten } from './format';

it('shows all digits of a u64', () => {
  expect(formatInteger(18_446_744_073_709_551_615n)).toBe('18,446,744,073,709,551,615');
  expect(formatInteger(0)).toBe('0');
});

it.each([
  [0, '0 SOL'],
  [1, '0.000000001 SOL'],
  [1_500_000_000n, '1.5 SOL'],
  [18_446_744_073_709_551_615n, '18,446,744,073.709551615 SOL'],
])('%s lamports are %s', (lamports, text) => {
  expect(formatSol(lamports)).toBe(text);
});

it('shortens only what becomes shorter', () => {
  expect(shorten('1234567890123')).toBe('1234567890123');
  expect(shorten('12345678901234')).toBe('123456…901234');
});
