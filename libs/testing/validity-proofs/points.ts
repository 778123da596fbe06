import { be32 } from '@fresnel/domain/primitives';
import { bn254 } from '@noble/curves/bn254.js';

/** A point of the group of A and C of a Groth16 proof. Coordinates have 32 bytes, big endian. */
export type G1Point = ReturnType<typeof bn254.G1.Point.fromAffine>;
/** A point of the group of B. The imaginary part of a coordinate comes before the real part. */
export type G2Point = ReturnType<typeof bn254.G2.Point.fromAffine>;

/** The two highest bits of a compressed point, which say which y belongs to x: those of the larger y, and of the smaller y. */
export interface PointFlags {
  larger: number;
  smaller: number;
}

/** The form in which programs read proofs. */
export const CHAIN_FLAGS: PointFlags = { larger: 0x80, smaller: 0 };
/** The form in which gnark stores keys. */
export const GNARK_FLAGS: PointFlags = { larger: 0xc0, smaller: 0x80 };

const FLAG_BITS = 0xc0;
const { Fp, Fp2 } = bn254.fields;
const HALF = Fp.ORDER / 2n;
/** y^2 = x^3 + 3 in G1. */
const B1 = 3n;
/** The same in G2, divided by 9 + i. */
const B2 = Fp2.div(Fp2.fromBigTuple([B1, 0n]), Fp2.fromBigTuple([9n, 1n]));

/** Bytes that are not a point. */
export class NotAPointError extends Error {}

/** @param bytes 32 bytes. @throws NotAPointError */
export function readG1(bytes: Uint8Array, flags: PointFlags): G1Point {
  const { coordinates, isLarger } = splitFlags(bytes, flags);
  const x = readCoordinate(coordinates);
  const y = attempt(() => Fp.sqrt(Fp.add(Fp.pow(x, 3n), B1)));
  const point = bn254.G1.Point.fromAffine({ x, y: y > HALF === isLarger ? y : Fp.neg(y) });
  attempt(() => {
    point.assertValidity();
  });
  return point;
}

/** @param bytes 64 bytes. @throws NotAPointError */
export function readG2(bytes: Uint8Array, flags: PointFlags): G2Point {
  const { coordinates, isLarger } = splitFlags(bytes, flags);
  const [imaginary, real] = [coordinates.subarray(0, 32), coordinates.subarray(32)].map(readCoordinate);
  const x = Fp2.fromBigTuple([real, imaginary]);
  const y = attempt(() => Fp2.sqrt(Fp2.add(Fp2.pow(x, 3n), B2)));
  const isLargerRoot = (y.c1 === 0n ? y.c0 : y.c1) > HALF;
  const point = bn254.G2.Point.fromAffine({ x, y: isLargerRoot === isLarger ? y : Fp2.neg(y) });
  attempt(() => {
    point.assertValidity();
  });
  return point;
}

/** Writes a point in 32 bytes. */
export function writeG1(point: G1Point, flags: PointFlags): Buffer {
  const { x, y } = point.toAffine();
  return withFlags(be32(x), y > HALF, flags);
}

/** Writes a point in 64 bytes. */
export function writeG2(point: G2Point, flags: PointFlags): Buffer {
  const { x, y } = point.toAffine();
  return withFlags(Buffer.concat([be32(x.c1), be32(x.c0)]), (y.c1 === 0n ? y.c0 : y.c1) > HALF, flags);
}

function withFlags(bytes: Buffer, isLarger: boolean, { larger, smaller }: PointFlags): Buffer {
  bytes[0] |= isLarger ? larger : smaller;
  return bytes;
}

function splitFlags(bytes: Uint8Array, { larger, smaller }: PointFlags): { coordinates: Buffer; isLarger: boolean } {
  const bits = bytes[0] & FLAG_BITS;
  if (bits !== larger && bits !== smaller) throw new NotAPointError('the flags of a point are wrong');
  const coordinates = Buffer.from(bytes);
  coordinates[0] &= ~FLAG_BITS;
  return { coordinates, isLarger: bits === larger };
}

function readCoordinate(bytes: Buffer): bigint {
  const value = BigInt(`0x${bytes.toString('hex')}`);
  if (value >= Fp.ORDER) throw new NotAPointError('a coordinate is not in the field');
  return value;
}

function attempt<Value>(compute: () => Value): Value {
  try {
    return compute();
  } catch (error) {
    throw new NotAPointError('the coordinates are not those of a point', { cause: error });
  }
}
