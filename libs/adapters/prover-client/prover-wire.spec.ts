import { PROVE_NEW_ADDRESSES } from '@fresnel/contracts/prover';
import { MalformedBytesError, MalformedTextError, toSlot } from '@fresnel/domain/primitives';
import { testAddress, testAddressTree } from '@fresnel/testing/trees';
import { packProofs } from '@fresnel/testing/gateway';
import { unpackProofs } from './proof-records';
import { type NewAddressProofs } from './prover-client';
import { readProofs, readRequest, writeProofs, writeRequest } from './prover-wire';

const { requestSerialize, requestDeserialize, responseSerialize, responseDeserialize } = PROVE_NEW_ADDRESSES;

const ITEMS = [0, 1].map((item) => ({
  address: testAddress(item),
  lowerRangeAddress: testAddress(2),
  higherRangeAddress: testAddress(3),
  lowElementLeafIndex: 2 ** 40 - 1,
  nextIndex: item,
  siblings: Array.from({ length: 40 }, (_, level) => testAddress(level)),
}));

const PROOFS: NewAddressProofs = {
  slot: 2 ** 53 - 1,
  blockhash: testAddress(9),
  root: testAddress(1),
  rootSeq: 2n ** 64n - 1n,
  ...packProofs(40, ITEMS),
};

describe('the messages of the prover', () => {
  it('encode every request', () => {
    const { tree } = testAddressTree('addressV1');
    const request = { tree, addresses: [testAddress(1), testAddress(0), testAddress(1)], minSlot: toSlot(2 ** 53 - 1) };
    expect(readRequest(requestDeserialize(requestSerialize(writeRequest(request))))).toStrictEqual(request);
  });

  it('encode every response', () => {
    const proofs = readProofs(responseDeserialize(responseSerialize(writeProofs(PROOFS))), 2);
    expect(proofs).toStrictEqual(PROOFS);
    expect(unpackProofs(proofs)).toStrictEqual(ITEMS);
  });

  it('are checked on both sides', () => {
    const request = writeRequest({ tree: testAddressTree('addressV1').tree, addresses: [], minSlot: toSlot(0) });
    expect(() => readRequest({ ...request, tree: Buffer.alloc(31) })).toThrow(MalformedTextError);
    expect(() => readRequest({ ...request, minSlot: 2n ** 60n })).toThrow(MalformedTextError);
    const response = writeProofs(PROOFS);
    expect(() => readProofs({ ...response, root: Buffer.alloc(0) }, 2)).toThrow(MalformedTextError);
    expect(() => readProofs(response, 3)).toThrow(MalformedBytesError);
    expect(() => readProofs({ ...response, height: 39 }, 2)).toThrow(MalformedBytesError);
    expect(() => readProofs({ ...response, height: 2 ** 32 - 1 }, 2)).toThrow(MalformedBytesError);
    expect(() => readProofs({ ...response, nodes: response.nodes.subarray(1) }, 2)).toThrow(MalformedBytesError);
    expect(() => readProofs({ ...response, elements: response.elements.subarray(1) }, 2)).toThrow(MalformedBytesError);
  });
});
