import { compressProof, InvalidProofError } from '@fresnel/domain/trees/validity-proofs';
import { fuzz, hostileJson } from '@fresnel/testing/generic';
import { readProveResponse } from './prove-request';

/** The generators of both groups. */
const PROOF = {
  ar: ['0x1', '0x2'],
  bs: [
    [
      '0x198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2',
      '0x1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed',
    ],
    [
      '0x90689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b',
      '0x12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa',
    ],
  ],
  krs: ['0x1', '0x2'],
};

describe('the answer of a validity prover', () => {
  it('is a proof of 128 bytes, or rejected with InvalidProofError', () => {
    fuzz(
      hostileJson([JSON.stringify(PROOF)]),
      (text) => {
        const { a, b, c } = compressProof(readProveResponse(text));
        expect([a.length, b.length, c.length]).toEqual([32, 64, 32]);
      },
      { throws: [InvalidProofError] },
    );
  });
});
