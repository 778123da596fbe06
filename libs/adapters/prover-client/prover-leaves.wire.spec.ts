import { PROVE_LEAVES } from '@fresnel/contracts/prover';
import { MalformedBytesError, MalformedTextError, toSlot } from '@fresnel/domain/primitives';
import { testAddress, testAddressTree } from '@fresnel/testing/trees';
import { type StateTreeProofs } from './prover-client';
import { readLeaves, readLeavesRequest, writeLeaves, writeLeavesRequest } from './prover-leaves.wire';

const { requestSerialize, requestDeserialize, responseSerialize, responseDeserialize } = PROVE_LEAVES;
const { tree } = testAddressTree('addressV1');

const PROOFS: StateTreeProofs = {
  slot: 2 ** 53 - 1,
  blockhash: testAddress(9),
  root: testAddress(1),
  rootSeq: 2n ** 64n - 1n,
  nextIndex: 2n ** 32n,
  height: 26,
  leaves: [0, 2 ** 32 - 1].map((leafIndex) => ({
    leafIndex,
    hash: testAddress(leafIndex),
    siblings: Array.from({ length: 26 }, (_, level) => testAddress(level)),
  })),
};

describe('the messages about leaves', () => {
  it('encode every request', () => {
    const request = { tree, leafIndices: [2 ** 32 - 1, 0, 0], minSlot: toSlot(2 ** 53 - 1) };
    expect(readLeavesRequest(requestDeserialize(requestSerialize(writeLeavesRequest(request))))).toStrictEqual(request);
  });

  it('encode every response', () => {
    expect(readLeaves(responseDeserialize(responseSerialize(writeLeaves(PROOFS))))).toStrictEqual(PROOFS);
  });

  it('are checked on both sides', () => {
    const request = writeLeavesRequest({ tree, leafIndices: [], minSlot: toSlot(0) });
    expect(() => readLeavesRequest({ ...request, tree: Buffer.alloc(31) })).toThrow(MalformedTextError);
    expect(() => readLeavesRequest({ ...request, leafIndices: [2n ** 60n] })).toThrow(MalformedTextError);
    const response = writeLeaves(PROOFS);
    const [leaf] = response.leaves;
    expect(() => readLeaves({ ...response, root: Buffer.alloc(0) })).toThrow(MalformedTextError);
    expect(() => readLeaves({ ...response, leaves: [{ ...leaf, hash: Buffer.alloc(31) }] })).toThrow(
      MalformedTextError,
    );
    const items = [{ ...leaf, siblings: Buffer.alloc(33) }];
    expect(() => readLeaves({ ...response, leaves: items })).toThrow(MalformedBytesError);
  });
});
