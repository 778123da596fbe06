import { WasmFactory } from '@lightprotocol/hasher.rs';
import { be32, MalformedBytesError } from '@fresnel/domain/primitives';
import fc from 'fast-check';
import { isFieldElement, poseidon } from './poseidon.hasher';

const MODULUS = 21888242871839275222246405745257275088548364400416034343698204186575808495617n;
const hex = (inputs: number[]) => poseidon(inputs.map(be32)).toString('hex');

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

  it('agrees with the hasher of the chain’s own client library', async () => {
    jest.spyOn(console, 'warn').mockImplementation(() => undefined); // it warns of its own loader
    const oracle = await WasmFactory.getInstance();
    const fieldElement = fc.bigInt({ min: 0n, max: MODULUS - 1n });
    fc.assert(
      fc.property(fc.array(fieldElement, { minLength: 1, maxLength: 7 }), (inputs) => {
        const expected = Buffer.from(oracle.poseidonHash(inputs.map(String)));
        return poseidon(inputs.map(be32)).equals(expected);
      }),
      { numRuns: 30 },
    );
  });

  it('refuses inputs that are no field elements, and none or too many', () => {
    expect(() => poseidon([be32(MODULUS)])).toThrow(MalformedBytesError);
    expect(() => poseidon([Buffer.alloc(31)])).toThrow(MalformedBytesError);
    expect(() => poseidon([])).toThrow(MalformedBytesError);
    expect(() => poseidon(Array<Buffer>(13).fill(be32(1)))).toThrow(MalformedBytesError);
    expect([be32(MODULUS - 1n), be32(MODULUS)].map(isFieldElement)).toEqual([true, false]);
  });
});
