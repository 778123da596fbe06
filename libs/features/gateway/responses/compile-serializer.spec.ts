import { METHOD_CONTRACTS } from '@fresnel/contracts/rpc';
import { MAX_U64 } from '@fresnel/domain/primitives';
import { Type } from 'typebox';
import { compileSerializer } from './compile-serializer';

const U64 = Type.Unsafe<bigint>(Type.Integer());

describe('compileSerializer', () => {
  it('writes every digit of 64-bit integers at any depth', () => {
    const write = compileSerializer(
      Type.Object({ a: U64, b: Type.Union([U64, Type.Null()]), c: Type.Array(Type.Object({ d: U64 })) }),
    );
    expect(write({ a: MAX_U64, b: MAX_U64 - 1n, c: [{ d: 9007199254740993n }, { d: 0n }] })).toBe(
      '{"a":18446744073709551615,"b":18446744073709551614,"c":[{"d":9007199254740993},{"d":0}]}',
    );
  });

  it('writes null members and omits undefined members', () => {
    const nullable = Type.Union([Type.Object({ a: U64 }), Type.Null()]);
    const write = compileSerializer(
      Type.Object({ some: nullable, none: nullable, absent: Type.Optional(Type.Array(U64)) }),
    );
    expect(write({ some: { a: 1n }, none: null })).toBe('{"some":{"a":1},"none":null}');
  });

  it('escapes strings', () => {
    expect(compileSerializer(Type.String())('"\\\n\ud800é')).toBe('"\\"\\\\\\n\\ud800é"');
  });

  it('rejects a union of anything but a type and null', () => {
    expect(() => compileSerializer(Type.Union([Type.String(), Type.Integer()]))).toThrow(TypeError);
  });
});

const serialized = METHOD_CONTRACTS.filter(({ name }) => !name.startsWith('getTransaction'));

describe.each(serialized.map((contract) => [contract.name, contract] as const))(
  'the result of %s',
  (_, { result, example }) => {
    it('is written with all members of its contract and no others', () => {
      const withNumbers: unknown = JSON.parse(
        JSON.stringify(example.result, (_, part: unknown) => (typeof part === 'bigint' ? Number(part) : part)),
      );
      expect(JSON.parse(compileSerializer(result)(example.result))).toEqual(withNumbers);
    });
  },
);
