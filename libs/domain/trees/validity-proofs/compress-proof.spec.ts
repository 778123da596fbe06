import { be32 } from '@fresnel/domain/primitives';
import { compressProof, InvalidProofError, type UncompressedProof } from './compress-proof';

const Q = 21888242871839275222246405745257275088696311157297823662689037894645226208583n;
const X1 = 0x198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2n;
const X0 = 0x1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6edn;
const Y1 = 0x90689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975bn;
const Y0 = 0x12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daan;
const hex = (value: bigint) => `0x${value.toString(16)}`;

/** The generators of both groups. */
const PROOF: UncompressedProof = {
  ar: ['0x1', '0x2'],
  bs: [
    [hex(X1), hex(X0)],
    [hex(Y1), hex(Y0)],
  ],
  krs: ['0x1', '0x2'],
};

describe('compressProof', () => {
  it('drops y, and negates A', () => {
    const { a, b, c } = compressProof(PROOF);
    expect(c).toEqual(be32(1n));
    expect(b).toEqual(Buffer.concat([be32(X1), be32(X0)]));
    // The y of A is 2, which becomes Q - 2: the larger one of the two.
    expect(a).toEqual(Buffer.concat([Buffer.of(0x80), be32(1n).subarray(1)]));
  });

  it('marks the larger y', () => {
    const { a, b, c } = compressProof({
      ar: ['0x1', hex(Q - 2n)],
      bs: [PROOF.bs[0], [hex(Q - Y1), hex(Q - Y0)]],
      krs: ['0x1', hex(Q - 2n)],
    });
    expect([a[0], b[0], c[0]]).toEqual([0, 0x99, 0x80]);
  });

  it('compares the real part if the imaginary part of y is zero', () => {
    const signOf = (y0: bigint) => compressProof({ ...PROOF, bs: [PROOF.bs[0], ['0x0', hex(y0)]] }).b[0] & 0x80;
    expect([signOf(5n), signOf(Q - 5n)]).toEqual([0, 0x80]);
  });

  it.each<[string, Partial<UncompressedProof>]>([
    ['a coordinate outside of the field', { ar: [hex(Q + 1n), '0x2'] }],
    ['a coordinate that is not hexadecimal', { krs: ['1', '2'] }],
    ['an empty coordinate', { krs: ['0x', '0x2'] }],
    ['a point that is not on the curve', { ar: ['0x1', '0x3'] }],
  ])('rejects %s', (_, change) => {
    expect(() => compressProof({ ...PROOF, ...change })).toThrow(InvalidProofError);
  });
});
