import { bn254 } from '@noble/curves/bn254.js';
import { CHAIN_FLAGS, type G1Point, type G2Point, GNARK_FLAGS, NotAPointError, readG1, readG2 } from './points';

/** The key of one circuit, with which its proofs are verified. */
export interface VerifyingKey {
  alpha: G1Point;
  beta: G2Point;
  gamma: G2Point;
  delta: G2Point;
  /** One more point than the circuit has public inputs. */
  inputs: G1Point[];
}

/** A proof in a response. */
export interface ProofBytes {
  /** 32 bytes, and negated. */
  a: readonly number[];
  /** 64 bytes. */
  b: readonly number[];
  /** 32 bytes. */
  c: readonly number[];
}

const G1_BYTES = 32;
const G2_BYTES = 64;

/**
 * Reads a key as gnark writes it: alpha, beta in both groups, gamma, delta in both groups, and the points of the inputs after
 * their count, which has 4 bytes, big endian.
 */
export function readVerifyingKey(bytes: Buffer): VerifyingKey {
  let at = 0;
  const take = (length: number) => bytes.subarray(at, (at += length));
  const takeG1 = () => readG1(take(G1_BYTES), GNARK_FLAGS);
  const takeG2 = () => readG2(take(G2_BYTES), GNARK_FLAGS);
  const alpha = takeG1();
  take(G1_BYTES);
  const [beta, gamma] = [takeG2(), takeG2()];
  take(G1_BYTES);
  const delta = takeG2();
  const inputs = Array.from({ length: take(4).readUInt32BE() }, takeG1);
  if (at !== bytes.length) throw new Error(`the verifying key has ${bytes.length - at} more bytes`);
  return { alpha, beta, gamma, delta, inputs };
}

/**
 * Whether a proof proves the public inputs, by the equation that programs check: with -A,
 * e(-A, B) * e(alpha, beta) * e(inputs, gamma) * e(C, delta) = 1.
 */
export function verifiesProof(key: VerifyingKey, proof: ProofBytes, publicInputs: readonly bigint[]): boolean {
  if (publicInputs.length + 1 !== key.inputs.length) {
    throw new Error(`the circuit has ${key.inputs.length - 1} public inputs, not ${publicInputs.length}`);
  }
  const points = readProof(proof);
  if (!points) return false;
  const [constant, ...factors] = key.inputs;
  const inputs = factors.reduce((sum, point, at) => sum.add(point.multiplyUnsafe(publicInputs[at])), constant);
  const product = bn254.pairingBatch([
    { g1: points.negatedA, g2: points.b },
    { g1: key.alpha, g2: key.beta },
    { g1: inputs, g2: key.gamma },
    { g1: points.c, g2: key.delta },
  ]);
  const { Fp12 } = bn254.fields;
  return Fp12.eql(product, Fp12.ONE);
}

/** Null if the bytes are not those of points. */
function readProof({ a, b, c }: ProofBytes): { negatedA: G1Point; b: G2Point; c: G1Point } | null {
  const bytesOf = (values: readonly number[]) => Uint8Array.from(values);
  try {
    return {
      negatedA: readG1(bytesOf(a), CHAIN_FLAGS),
      b: readG2(bytesOf(b), CHAIN_FLAGS),
      c: readG1(bytesOf(c), CHAIN_FLAGS),
    };
  } catch (error) {
    if (error instanceof NotAPointError) return null;
    throw error;
  }
}
