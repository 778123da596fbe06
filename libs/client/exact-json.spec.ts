import { CONTRACTS, type MethodName } from '@fresnel/contracts/rpc';
import { type Static } from 'typebox';
import { parseExact } from './exact-json';
import { type Methods, U64_MEMBERS } from './generated/methods';

const MAX = 18_446_744_073_709_551_615n;

describe('parseExact', () => {
  it.each([
    [`{"a":${MAX},"b":${MAX},"c":1,"d":-${MAX}}`, { a: MAX, b: MAX, c: 1, d: -MAX }],
    ['{"a":1,"b":9007199254740991,"c":9007199254740992}', { a: 1n, b: 9_007_199_254_740_991, c: 2n ** 53n }],
    [`{"a":[1,${MAX}, 2],"b":[${MAX}]}`, { a: [1n, MAX, 2n], b: [MAX] }],
    ['{"a":null,"b":0.12345678901234567,"c":1.5e300}', { a: null, b: 0.12345678901234567, c: 1.5e300 }],
    [`[${MAX}]`, [MAX]],
  ])('reads %s', (text, value) => {
    expect(parseExact(text, ['a'])).toEqual(value);
  });

  it('leaves texts as they are', () => {
    const hostile = { a: `"a":${MAX}`, b: `\\" : ${MAX}`, [`${MAX}`]: 'integer:1', c: 'integer:x', d: `\ud800 ${MAX}` };
    expect(parseExact(JSON.stringify(hostile), ['a'])).toEqual(hostile);
  });

  it('reads megabytes of text', () => {
    const value = { a: 'x'.repeat(20_000_000), b: '\\"'.repeat(1_000_000), c: '1234567890123456' };
    expect(parseExact(JSON.stringify(value))).toEqual(value);
  });

  it('refuses what is not JSON', () => {
    expect(() => parseExact(`{"a":${MAX}`)).toThrow(SyntaxError);
    expect(() => parseExact('<html>')).toThrow(SyntaxError);
  });
});

/** JSON as a gateway writes it, with all digits. */
function toExactJson(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map(toExactJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, part]) => `${JSON.stringify(name)}:${toExactJson(part)}`)
    .join(',')}}`;
}

describe.each(Object.values(CONTRACTS))('the result of $name', ({ name, example: { result } }) => {
  it('is read with the types of its contract', () => {
    expect(parseExact(toExactJson(result), U64_MEMBERS[name])).toStrictEqual(result);
  });
});

type ContractResults = { [Name in MethodName]: Static<(typeof CONTRACTS)[Name]['result']> };
type ClientResults = { [Name in keyof Methods]: Methods[Name]['result'] };

describe('the types of methods', () => {
  it('are those of the contracts, which the compiler checks', () => {
    const toClient = <Name extends MethodName>(results: Pick<ContractResults, Name>): Pick<ClientResults, Name> =>
      results;
    const toContract = (results: ClientResults): ContractResults => results;
    const all = Object.fromEntries(Object.values(CONTRACTS).map(({ name, example }) => [name, example.result]));
    expect(Object.keys(toContract(toClient(all as ContractResults)))).toEqual(Object.keys(CONTRACTS));
  });
});
