import { FIND_QUEUES } from '@fresnel/contracts/prover';
import { MalformedBytesError, MalformedTextError, toSlot } from '@fresnel/domain/primitives';
import { testAddress, testAddressTree } from '@fresnel/testing/trees';
import { type TreeQueues } from './prover-client';
import { readQueues, readQueuesRequest, writeQueues, writeQueuesRequest } from './prover-queues.wire';

const { requestSerialize, requestDeserialize, responseSerialize, responseDeserialize } = FIND_QUEUES;
const { tree } = testAddressTree('addressV2');

const QUEUES: TreeQueues = {
  slot: 2 ** 53 - 1,
  blockhash: testAddress(9),
  queue: { start: 0n, end: 2n ** 64n - 1n },
  inputQueue: { start: 5n, end: 5n },
};

describe('the messages about queues', () => {
  it('encode every request', () => {
    const request = { tree, minSlot: toSlot(2 ** 53 - 1) };
    expect(readQueuesRequest(requestDeserialize(requestSerialize(writeQueuesRequest(request))))).toStrictEqual(request);
  });

  it('encode every response', () => {
    expect(readQueues(responseDeserialize(responseSerialize(writeQueues(QUEUES))))).toStrictEqual(QUEUES);
  });

  it('are checked on both sides', () => {
    const request = writeQueuesRequest({ tree, minSlot: toSlot(0) });
    expect(() => readQueuesRequest({ ...request, tree: Buffer.alloc(31) })).toThrow(MalformedTextError);
    expect(() => readQueues({ ...writeQueues(QUEUES), queueStart: 2n, queueEnd: 1n })).toThrow(MalformedBytesError);
  });
});
