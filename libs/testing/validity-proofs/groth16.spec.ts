import { bn254 } from '@noble/curves/bn254.js';
import { type ProofBytes, readVerifyingKey, verifiesProof } from './groth16';
import { CHAIN_FLAGS, GNARK_FLAGS, writeG1, writeG2 } from './points';

const { Fr } = bn254.fields;
const g1 = (factor: bigint) => bn254.G1.Point.BASE.multiply(Fr.create(factor));
const g2 = (factor: bigint) => bn254.G2.Point.BASE.multiply(Fr.create(factor));

/** A set-up whose secrets are known, so that everything can be proven without a circuit. */
const [ALPHA, BETA, GAMMA, DELTA] = [3n, 5n, 7n, 11n];
const [CONSTANT, FACTOR] = [13n, 17n];

const KEY = Buffer.concat([
  ...[g1(ALPHA), g1(BETA)].map((point) => writeG1(point, GNARK_FLAGS)),
  ...[g2(BETA), g2(GAMMA)].map((point) => writeG2(point, GNARK_FLAGS)),
  writeG1(g1(DELTA), GNARK_FLAGS),
  writeG2(g2(DELTA), GNARK_FLAGS),
  Buffer.of(0, 0, 0, 2),
  ...[g1(CONSTANT), g1(FACTOR)].map((point) => writeG1(point, GNARK_FLAGS)),
]);

/** A proof of one public input, for any two numbers. */
function proofOf(input: bigint, a = 19n, b = 23n): ProofBytes {
  const c = Fr.div(Fr.create(a * b - ALPHA * BETA - (CONSTANT + FACTOR * input) * GAMMA), DELTA);
  return {
    a: [...writeG1(g1(a).negate(), CHAIN_FLAGS)],
    b: [...writeG2(g2(b), CHAIN_FLAGS)],
    c: [...writeG1(g1(c), CHAIN_FLAGS)],
  };
}

describe('verifiesProof', () => {
  const key = readVerifyingKey(KEY);

  it.each([
    [0n, 19n, 23n],
    [1n, 29n, 31n],
    [1_000_003n, 37n, 41n],
  ])('accepts a proof of %d', (input, a, b) => {
    expect(verifiesProof(key, proofOf(input, a, b), [input])).toBe(true);
  });

  it('rejects a proof of another input, and one with other points', () => {
    const proof = proofOf(42n);
    expect(verifiesProof(key, proof, [43n])).toBe(false);
    for (const part of ['a', 'b', 'c'] as const) {
      expect(verifiesProof(key, { ...proof, [part]: proofOf(42n, 2n, 4n)[part] }, [42n])).toBe(false);
      const bytes = proof[part];
      expect(verifiesProof(key, { ...proof, [part]: bytes.with(0, bytes[0] ^ 0x80) }, [42n])).toBe(false);
    }
  });

  it('rejects bytes that are not points', () => {
    const proof = proofOf(42n);
    const notInField = Array<number>(32).fill(0x3f);
    const notOnCurve = [...Array<number>(31).fill(0), 4];
    for (const c of [notInField, notOnCurve]) expect(verifiesProof(key, { ...proof, c }, [42n])).toBe(false);
  });

  it('requires all public inputs, and a key without further bytes', () => {
    expect(() => verifiesProof(key, proofOf(1n), [1n, 2n])).toThrow('the circuit has 1 public inputs, not 2');
    expect(() => readVerifyingKey(Buffer.concat([KEY, Buffer.alloc(3)]))).toThrow('3 more bytes');
  });
});
