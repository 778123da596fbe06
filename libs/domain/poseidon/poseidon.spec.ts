import { WasmFactory } from '@lightprotocol/hasher.rs';
import { poseidonHex } from '@railgun-community/poseidon-hash-wasm';
import { be32, MalformedBytesError } from '@fresnel/domain/primitives';
import { byFaultForm } from '@fresnel/testing/generic';
import fc from 'fast-check';
import { isFieldElement, MAX_INPUTS, poseidon, poseidonBatch } from './poseidon';

const MODULUS = 21888242871839275222246405745257275088548364400416034343698204186575808495617n;
/** Number of lists that are compared with each independent package, whose hashes take most of the time. */
const RANDOM_LISTS = byFaultForm({ short: 500, long: 10_000 });
/** Number of inputs that `hasher.rs` accepts. */
const MAX_LIGHT_INPUTS = 12;

const hex = (inputs: (number | bigint)[]) => poseidon(inputs.map(be32)).toString('hex');

/** Numbers at which carries, limbs and the reduction change: around powers of 2^29, 0 and the modulus. */
const EDGES = [
  ...[0n, 1n, 2n, MODULUS - 1n, MODULUS - 2n, MODULUS >> 1n],
  ...Array.from({ length: 8 }, (_, limb) => 1n << BigInt(29 * (limb + 1))).flatMap((power) => [power - 1n, power]),
];
const fieldElement = fc.oneof(
  { weight: 4, arbitrary: fc.bigInt({ min: 0n, max: MODULUS - 1n }) },
  { weight: 1, arbitrary: fc.constantFrom(...EDGES) },
);

/** Lists of 1 to `max` inputs with RANDOM_LISTS lists in all; two and three inputs, which trees use, most often. */
function inputLists(max: number): bigint[][] {
  const list = fc.oneof(
    { weight: 3, arbitrary: fc.array(fieldElement, { minLength: 2, maxLength: 3 }) },
    { weight: 1, arbitrary: fc.array(fieldElement, { minLength: 1, maxLength: max }) },
  );
  return fc.sample(list, RANDOM_LISTS);
}

describe('poseidon', () => {
  it.each([
    [[0], '2a09a9fd93c590c26b91effbb2499f07e8f7aa12e2b4940a3aed2411cb65e11c'],
    [[1], '29176100eaa962bdc1fe6c654d6a3c130e96a4d1168b33848b897dc502820133'],
    [[0, 0], '2098f5fb9e239eab3ceac3f27b81e481dc3124d55ffed523a839ee8446b64864'],
    [[1, 2], '115cc0f5e7d690413df64c6b9662e9cf2a3617f2743245519e19607a4417189a'],
    [[1, 2, 3], '0e7732d89e6939c0ff03d5e58dab6302f3230e269dc5b968f725df34ab36d732'],
    [[0, 0, 0], '0bc188d27dcceadc1dcfb6af0a7af08fe2864eecec96c5ae7cee6db31ba599aa'],
    [[1, 2, 3, 4], '299c867db6c1fdd79dcefa40e4510b9837e60ebb1ce0663dbaa525df65250465'],
    [[1, 2, 3, 4, 5], '0dab9449e4a1398a15224c0b15a49d598b2174d305a316c918125f8feeb123c0'],
    [[1, 2, 3, 4, 5, 6, 7], '1c2f3482dbb140c4ebb9ada49abdbc374a9a85fcfc6533ec2e9df45b4921c318'],
  ])('hashes %j as circom does', (inputs, expected) => {
    expect(hex(inputs)).toBe(expected);
  });

  it(`agrees with hasher.rs on ${RANDOM_LISTS} lists of inputs`, async () => {
    jest.spyOn(console, 'warn').mockImplementation(() => undefined); // the package warns about its own loader
    const light = await WasmFactory.getInstance();
    const different = inputLists(MAX_LIGHT_INPUTS).filter(
      (inputs) => !poseidon(inputs.map(be32)).equals(Buffer.from(light.poseidonHash(inputs.map(String)))),
    );
    expect(different).toEqual([]);
  });

  it(`agrees with poseidon-hash-wasm on ${RANDOM_LISTS} lists of inputs`, () => {
    const different = inputLists(MAX_INPUTS).filter(
      (inputs) => hex(inputs) !== poseidonHex(inputs.map((input) => be32(input).toString('hex'))).padStart(64, '0'),
    );
    expect(different).toEqual([]);
  });

  it('keeps leading zeros', () => {
    const short = Array.from({ length: 2_000 }, (_, i) => poseidon([be32(i)])).filter((hash) => hash[0] === 0);
    expect(short.length).toBeGreaterThan(0);
    expect(short.every((hash) => hash.length === 32)).toBe(true);
  });

  it('refuses inputs outside the field, and none or too many', () => {
    expect(() => poseidon([be32(MODULUS)])).toThrow(MalformedBytesError);
    expect(() => poseidon([be32(1), be32(2n ** 256n - 1n)])).toThrow(MalformedBytesError);
    expect(() => poseidon([Buffer.alloc(31)])).toThrow(MalformedBytesError);
    expect(() => poseidon([])).toThrow(MalformedBytesError);
    expect(() => poseidon(Array<Buffer>(MAX_INPUTS + 1).fill(be32(1)))).toThrow(MalformedBytesError);
    expect([be32(MODULUS - 1n), be32(MODULUS)].map(isFieldElement)).toEqual([true, false]);
  });

  it('returns hashes that later hashes do not overwrite', () => {
    const first = poseidon([be32(1), be32(2)]);
    const copy = Buffer.from(first);
    poseidon([be32(3), be32(4)]);
    expect(first).toEqual(copy);
  });
});

describe('poseidonBatch', () => {
  it.each([1, 2, 3, MAX_INPUTS])('gives the hash of each group of %i inputs', (arity) => {
    const groups = fc.sample(fc.array(fieldElement, { minLength: arity, maxLength: arity }), 600);
    const inputs = groups.map((group) => group.map(be32));
    expect(poseidonBatch(arity, Buffer.concat(inputs.flat()))).toEqual(Buffer.concat(inputs.map(poseidon)));
  });

  it('returns no hashes for no inputs', () => {
    expect(poseidonBatch(2, Buffer.alloc(0))).toEqual(Buffer.alloc(0));
  });

  it('refuses an incomplete group, and an input outside the field in any group', () => {
    expect(() => poseidonBatch(2, Buffer.alloc(96))).toThrow(MalformedBytesError);
    const inputs = Buffer.alloc(2 * 32 * 500);
    be32(MODULUS).copy(inputs, inputs.length - 32);
    expect(() => poseidonBatch(2, inputs)).toThrow(MalformedBytesError);
    expect(() => poseidonBatch(0, inputs)).toThrow(MalformedBytesError);
  });
});
