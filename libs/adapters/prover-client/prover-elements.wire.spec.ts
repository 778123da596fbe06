import { FIND_QUEUE_ELEMENTS } from '@fresnel/contracts/prover';
import { MalformedBytesError, MalformedTextError, toSlot } from '@fresnel/domain/primitives';
import { testAddress, testAddressTree } from '@fresnel/testing/trees';
import { ElementsAssembler, readElementsRequest, writeElements, writeElementsRequest } from './prover-elements.wire';
import { NODE_BYTES, type QueueElements } from './prover-elements';

const { requestSerialize, requestDeserialize, responseSerialize, responseDeserialize } = FIND_QUEUE_ELEMENTS;
const { tree } = testAddressTree('addressV2');
const MAX_U64 = 2n ** 64n - 1n;

const ELEMENTS: QueueElements = {
  ...{ slot: 2 ** 53 - 1, blockhash: testAddress(9), root: testAddress(1), rootSeq: MAX_U64, nextIndex: 2n ** 40n },
  outputs: Array.from({ length: 4_001 }, (_, leafIndex) => ({
    ...{ leafIndex, accountHash: testAddress(2), leaf: testAddress(3) },
  })),
  inputs: [
    {
      ...{ queueIndex: MAX_U64, leafIndex: 2 ** 32 - 1, accountHash: testAddress(4), txHash: testAddress(5) },
      ...{ nullifier: testAddress(6), leaf: testAddress(7) },
    },
  ],
  addresses: [
    {
      ...{ queueIndex: MAX_U64 - 1n, address: testAddress(8), lowElementLeafIndex: 2 ** 40 - 1 },
      ...{ lowElementValue: testAddress(9), lowElementNextIndex: 0, lowElementNextValue: testAddress(10) },
    },
  ],
  chains: { outputs: [testAddress(11)], inputs: [testAddress(12)], addresses: [testAddress(13), testAddress(14)] },
  nodes: [Buffer.alloc(3 * NODE_BYTES, 1), Buffer.alloc(NODE_BYTES, 2)],
  frontier: [testAddress(15)],
};

function transfer(elements: QueueElements): QueueElements {
  const assembler = new ElementsAssembler();
  for (const part of writeElements(elements)) assembler.add(responseDeserialize(responseSerialize(part)));
  return assembler.finish();
}

describe('the messages about entries of queues', () => {
  it('encode every request', () => {
    const selection = { startIndex: MAX_U64, limit: 30_000, zkpBatchSize: 65_535 };
    const first = { startIndex: null, limit: 0, zkpBatchSize: 1 };
    for (const queues of [
      { outputs: selection, inputs: first, addresses: null },
      { outputs: null, inputs: null, addresses: { ...first, startIndex: 0n } },
    ]) {
      const request = { tree, queues, minSlot: toSlot(2 ** 53 - 1) };
      const received = requestDeserialize(requestSerialize(writeElementsRequest(request)));
      expect(readElementsRequest(received)).toStrictEqual(request);
    }
  });

  it('encode every response', () => {
    expect(transfer(ELEMENTS)).toStrictEqual(ELEMENTS);
    const chains = { outputs: [], inputs: [], addresses: [] };
    const empty = { ...ELEMENTS, outputs: [], inputs: [], addresses: [], nodes: [], frontier: [], chains };
    expect(transfer(empty)).toStrictEqual(empty);
  });

  it('stay far below the size of a message', () => {
    const sizes = [...writeElements(ELEMENTS)].map((part) => responseSerialize(part).length);
    expect(Math.max(...sizes)).toBeLessThan(1024 * 1024);
  });

  it('are checked on both sides', () => {
    const selection = { startIndex: null, limit: 1, zkpBatchSize: 0 };
    const queues = { outputs: selection, inputs: null, addresses: null };
    const request = writeElementsRequest({ tree, queues, minSlot: toSlot(0) });
    expect(() => readElementsRequest(request)).toThrow(MalformedTextError);
    expect(() => readElementsRequest({ ...request, tree: Buffer.alloc(31) })).toThrow(MalformedTextError);
    const [state, outputs] = writeElements(ELEMENTS);
    expect(() => {
      new ElementsAssembler().add(outputs);
    }).toThrow(MalformedBytesError);
    expect(() => new ElementsAssembler().finish()).toThrow(MalformedBytesError);
    expect(() => {
      new ElementsAssembler().add({ ...state, nodes: Buffer.alloc(NODE_BYTES - 1) });
    }).toThrow(MalformedBytesError);
  });
});
