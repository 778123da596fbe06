import { PROVE_LEAVES } from '@fresnel/contracts/prover';
import { MalformedBytesError, MalformedTextError, toSlot } from '@fresnel/domain/primitives';
import { packPaths } from '@fresnel/testing/gateway';
import { numbers, testAddress, testAddressTree } from '@fresnel/testing/trees';
import { type StateTreeProofs } from './prover-client';
import { readLeaves, readLeavesRequest, writeLeaves, writeLeavesRequest } from './prover-leaves.wire';

const { requestSerialize, requestDeserialize, responseSerialize, responseDeserialize } = PROVE_LEAVES;
const { tree } = testAddressTree('addressV1');

const LEAVES = [2 ** 32 - 1, 0, 0];
const PROOFS: StateTreeProofs = {
  slot: 2 ** 53 - 1,
  blockhash: testAddress(9),
  root: testAddress(1),
  rootSeq: 2n ** 64n - 1n,
  nextIndex: 2n ** 32n,
  leaves: LEAVES.map(testAddress),
  paths: packPaths(
    32,
    LEAVES.map((leafIndex) => ({ leafIndex, siblings: numbers(0, 32).map((level) => testAddress(leafIndex + level)) })),
  ),
};

describe('the messages about leaves', () => {
  it('encode every request', () => {
    const request = { tree, leafIndices: [2 ** 32 - 1, 0, 0], minSlot: toSlot(2 ** 53 - 1) };
    expect(readLeavesRequest(requestDeserialize(requestSerialize(writeLeavesRequest(request))))).toStrictEqual(request);
  });

  it('encode every response', () => {
    expect(readLeaves(responseDeserialize(responseSerialize(writeLeaves(PROOFS))), LEAVES)).toStrictEqual(PROOFS);
  });

  it('are checked on both sides', () => {
    const request = writeLeavesRequest({ tree, leafIndices: [], minSlot: toSlot(0) });
    expect(() => readLeavesRequest({ ...request, tree: Buffer.alloc(31) })).toThrow(MalformedTextError);
    expect(() => readLeavesRequest({ ...request, leafIndices: [2n ** 60n] })).toThrow(MalformedTextError);
    const response = writeLeaves(PROOFS);
    expect(() => readLeaves({ ...response, root: Buffer.alloc(0) }, LEAVES)).toThrow(MalformedTextError);
    for (const leaves of [Buffer.alloc(2 * 32), Buffer.alloc(4 * 32), Buffer.alloc(3 * 32 - 1)]) {
      expect(() => readLeaves({ ...response, leaves }, LEAVES)).toThrow(MalformedBytesError);
    }
    for (const change of [{ nodes: response.nodes.slice(32) }, { height: 31 }, { height: 2 ** 32 - 1 }]) {
      expect(() => readLeaves({ ...response, ...change }, LEAVES)).toThrow(MalformedBytesError);
    }
  });
});
