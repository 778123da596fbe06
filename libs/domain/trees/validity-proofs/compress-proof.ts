import { be32, FresnelError } from '@fresnel/domain/primitives';

/** A Groth16 proof over BN254, as a prover returns it: hexadecimal coordinates. */
export interface UncompressedProof {
  ar: readonly [string, string];
  /** Two coordinates, each with its imaginary part first. */
  bs: readonly [readonly [string, string], readonly [string, string]];
  krs: readonly [string, string];
}

/** A proof in the form that the chain verifies: points without y, and with its sign. A is negated. */
export interface CompressedProof {
  /** 32 bytes. */
  a: Buffer;
  /** 64 bytes. */
  b: Buffer;
  /** 32 bytes. */
  c: Buffer;
}

/** A prover returned something else than a proof. */
export class InvalidProofError extends FresnelError {
  readonly code = 'invalid-proof';
  readonly isRetryable = true;
}

/** The order of the base field. */
const Q = 21888242871839275222246405745257275088696311157297823662689037894645226208583n;
/** Set in the first byte if y is the larger one of the two roots. */
const LARGER_Y = 0x80;

/** Compresses a proof. @throws InvalidProofError for coordinates that are not those of a point */
export function compressProof({ ar, bs, krs }: UncompressedProof): CompressedProof {
  const [aX, aY] = readG1(ar);
  return { a: compressG1(aX, negate(aY)), b: compressG2(bs), c: compressG1(...readG1(krs)) };
}

/** A point of G1: y^2 = x^3 + 3. */
function readG1([xText, yText]: readonly [string, string]): [bigint, bigint] {
  const [x, y] = [readCoordinate(xText), readCoordinate(yText)];
  if ((y * y - x * x * x - 3n) % Q !== 0n) throw new InvalidProofError('a point of the proof is not on the curve');
  return [x, y];
}

function compressG1(x: bigint, y: bigint): Buffer {
  return withSign(be32(x), y > negate(y));
}

function compressG2([xs, ys]: UncompressedProof['bs']): Buffer {
  const [x1, x0] = xs.map(readCoordinate);
  const [y1, y0] = ys.map(readCoordinate);
  const [n1, n0] = [negate(y1), negate(y0)];
  return withSign(Buffer.concat([be32(x1), be32(x0)]), y1 === n1 ? y0 > n0 : y1 > n1);
}

function withSign(bytes: Buffer, isLarger: boolean): Buffer {
  const signed = Buffer.from(bytes);
  if (isLarger) signed[0] |= LARGER_Y;
  return signed;
}

function negate(y: bigint): bigint {
  return y === 0n ? 0n : Q - y;
}

/** Provers omit leading zeros. */
function readCoordinate(text: string): bigint {
  if (!/^0x[0-9a-f]{1,64}$/i.test(text)) throw new InvalidProofError('a coordinate of the proof is not hexadecimal');
  const value = BigInt(text);
  if (value >= Q) throw new InvalidProofError('a coordinate of the proof is not in the field');
  return value;
}
