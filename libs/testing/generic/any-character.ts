import fc from 'fast-check';

const SURROGATES = { first: 0xd800, count: 0x800 };
const MAX_CODE_POINT = 0x10_ffff;

/** Any character of Unicode, as a unit of strings. The unit `binary` of fast-check lists all of them, which takes a second. */
export const anyCharacter = fc
  .nat(MAX_CODE_POINT - SURROGATES.count)
  .map((number) => String.fromCodePoint(number < SURROGATES.first ? number : number + SURROGATES.count));
