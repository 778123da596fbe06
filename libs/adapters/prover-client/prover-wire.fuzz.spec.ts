import {
  ERROR_TRAILER,
  FIND_QUEUE_ELEMENTS,
  FIND_QUEUES,
  PROVE_LEAVES,
  PROVE_NEW_ADDRESSES,
} from '@fresnel/contracts/prover';
import { FresnelError, MalformedBytesError, MalformedTextError, toSlot } from '@fresnel/domain/primitives';
import { packProofs, packPaths } from '@fresnel/testing/gateway';
import { fuzz, hostileBytes, hostileText } from '@fresnel/testing/generic';
import { testAddress, testAddressTree } from '@fresnel/testing/trees';
import { Metadata, status } from '@grpc/grpc-js';
import { unpackProofs } from './proof-records';
import { toTarget } from './prover-address';
import { AddressExistsError, LeafOutOfRangeError, TreeBehindError } from './prover-client';
import { NODE_BYTES } from './prover-elements';
import { ElementsAssembler, readElementsRequest, writeElements, writeElementsRequest } from './prover-elements.wire';
import { toProverError, toStatus } from './prover-error';
import { readLeaves, readLeavesRequest, writeLeaves, writeLeavesRequest } from './prover-leaves.wire';
import { readQueues, readQueuesRequest, writeQueues, writeQueuesRequest } from './prover-queues.wire';
import { readProofs, readRequest, writeProofs, writeRequest } from './prover-wire';

const throws = [MalformedTextError, MalformedBytesError];
const { tree } = testAddressTree('addressV2');
const minSlot = toSlot(9);
const [A, B] = [testAddress(1), testAddress(2)];
const BLOCK = { slot: 7, blockhash: A };
const PROOF = { address: A, lowerRangeAddress: A, higherRangeAddress: B, nextIndex: 3, siblings: [A, B] };
const QUEUES = { outputs: { startIndex: 5n, limit: 3, zkpBatchSize: 2 }, inputs: null, addresses: null };
const ELEMENTS = {
  ...{ ...BLOCK, root: A, rootSeq: 5n, nextIndex: 6n, frontier: [A], nodes: [Buffer.alloc(NODE_BYTES, 1)] },
  outputs: [{ leafIndex: 1, accountHash: A, leaf: B }],
  inputs: [{ queueIndex: 2n, leafIndex: 1, accountHash: A, txHash: B, nullifier: A, leaf: B }],
  addresses: [
    {
      ...{ queueIndex: 3n, address: A, lowElementLeafIndex: 4, lowElementValue: B },
      ...{ lowElementNextIndex: 5, lowElementNextValue: A },
    },
  ],
  chains: { outputs: [A], inputs: [B], addresses: [] },
};

/** One kind of message: samples, and what the receiver makes of their bytes. */
interface Wire {
  samples: Buffer[];
  read: (bytes: Buffer) => unknown;
}

const WIRES: Record<string, Wire> = {
  'a request for new addresses': {
    samples: [PROVE_NEW_ADDRESSES.requestSerialize(writeRequest({ tree, addresses: [A, B], minSlot }))],
    read: (bytes) => readRequest(received(PROVE_NEW_ADDRESSES.requestDeserialize, bytes)),
  },
  'proofs of new addresses': {
    samples: [
      PROVE_NEW_ADDRESSES.responseSerialize(
        writeProofs({
          ...{ ...BLOCK, root: A, rootSeq: 5n },
          ...packProofs(
            2,
            [1, 2].map((lowElementLeafIndex) => ({ ...PROOF, lowElementLeafIndex })),
          ),
        }),
      ),
    ],
    read: (bytes) => unpackProofs(readProofs(received(PROVE_NEW_ADDRESSES.responseDeserialize, bytes), 2)),
  },
  'a request for leaves': {
    samples: [PROVE_LEAVES.requestSerialize(writeLeavesRequest({ tree, leafIndices: [1, 2 ** 32], minSlot }))],
    read: (bytes) => readLeavesRequest(received(PROVE_LEAVES.requestDeserialize, bytes)),
  },
  'paths of leaves': {
    samples: [
      PROVE_LEAVES.responseSerialize(
        writeLeaves({
          ...{ ...BLOCK, root: A, rootSeq: 5n, nextIndex: 6n },
          leaves: [A],
          paths: packPaths(2, [{ leafIndex: 1, siblings: [A, B] }]),
        }),
      ),
    ],
    read: (bytes) => readLeaves(received(PROVE_LEAVES.responseDeserialize, bytes), [1]),
  },
  'a request for queues': {
    samples: [FIND_QUEUES.requestSerialize(writeQueuesRequest({ tree, minSlot }))],
    read: (bytes) => readQueuesRequest(received(FIND_QUEUES.requestDeserialize, bytes)),
  },
  queues: {
    samples: [
      FIND_QUEUES.responseSerialize(
        writeQueues({ ...BLOCK, queue: { start: 1n, end: 2n }, inputQueue: { start: 3n, end: 2n ** 64n - 1n } }),
      ),
    ],
    read: (bytes) => readQueues(received(FIND_QUEUES.responseDeserialize, bytes)),
  },
  'a request for entries of queues': {
    samples: [FIND_QUEUE_ELEMENTS.requestSerialize(writeElementsRequest({ tree, queues: QUEUES, minSlot }))],
    read: (bytes) => readElementsRequest(received(FIND_QUEUE_ELEMENTS.requestDeserialize, bytes)),
  },
  'entries of queues': {
    samples: [...writeElements(ELEMENTS)].map(FIND_QUEUE_ELEMENTS.responseSerialize),
    read: (bytes) => {
      const assembler = new ElementsAssembler();
      assembler.add([...writeElements(ELEMENTS)][0]);
      assembler.add(received(FIND_QUEUE_ELEMENTS.responseDeserialize, bytes));
      return assembler.finish();
    },
  },
};

/** gRPC ends a call with a message that its decoder rejects, with any error. @throws MalformedBytesError instead */
function received<Message>(deserialize: (bytes: Buffer) => Message, bytes: Buffer): Message {
  try {
    return deserialize(bytes);
  } catch (error) {
    throw new MalformedBytesError('gRPC cannot decode the message', { cause: error });
  }
}

describe('a message between gateway and prover', () => {
  it.each(Object.entries(WIRES))('is read or rejected: %s', (_, { samples, read }) => {
    fuzz(hostileBytes(samples), read, { throws });
  });
});

describe('the trailer of a failed call', () => {
  const SENT = [new AddressExistsError(A), new TreeBehindError(toSlot(5), toSlot(6)), new LeafOutOfRangeError(7, 32)];

  it('is an error of the contract, or one about the call', () => {
    const samples = SENT.flatMap((error) => toStatus(error)?.metadata.get(ERROR_TRAILER) ?? []);
    fuzz(hostileBytes(samples.map((sample) => Buffer.from(sample))), (bytes) => {
      const metadata = new Metadata();
      metadata.set(ERROR_TRAILER, bytes);
      const failure = Object.assign(new Error('failed'), { code: status.NOT_FOUND, details: '', metadata });
      expect(toProverError(failure)).toBeInstanceOf(FresnelError);
    });
  });
});

describe('the address of provers', () => {
  it('is read, or rejected with MalformedTextError', () => {
    fuzz(hostileText(['prover:50051', '10.0.0.1:1, 10.0.0.2:65535', '[::1]:50051', 'dns:///prover:1']), toTarget, {
      throws,
    });
  });
});
