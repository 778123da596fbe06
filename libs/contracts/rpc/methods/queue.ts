import { type Pubkey } from '@fresnel/domain/primitives';
import { Type } from 'typebox';
import { QUEUE_ELEMENTS_COST, QUEUE_INFO_COST, QUEUE_LEAVES_COST } from '../cost';
import { defineContract, NOTHING_INDEXED } from '../method-contract';
import { readPubkey } from '../params/base58-values';
import { InvalidParamsError } from '../params/invalid-params.error';
import { optional, readMembers, type ReadValue, required } from '../params/members';
import { isWithoutParams, optionalParams } from '../params/no-params';
import { QueueElementsParams, readQueueElementsParams, readQueueLimit, readQueueStart } from '../params/queue-elements';
import { closedObject } from '../schemas/closed-object';
import { Context, withContext } from '../schemas/context';
import { AddressQueue, MAX_QUEUE_ELEMENTS, MAX_ZKP_BATCH_SIZE, QueueLeaf, StateQueue } from '../schemas/queues';
import { MAX_QUEUE_TREES, QueueInfo } from '../schemas/queue-info';
import { describedU64, nullable, PubkeyText, SlotNumber } from '../schemas/scalars';
import { EXAMPLE_ACCOUNT_V2 } from './example-values';
import { EXAMPLE_PATH, EXAMPLE_ROOT } from './account-proof';

const { hash, leafIndex } = EXAMPLE_ACCOUNT_V2;
const { tree, queue } = EXAMPLE_ACCOUNT_V2.merkleContext;
const ZERO = '11111111111111111111111111111111';

export const getQueueElements = defineContract({
  name: 'getQueueElements',
  summary:
    'Entries of the queues of a V2 tree, with the nodes and hash chains that a forester needs to update the tree.',
  description:
    'All parts are of one state of the tree. Entries of state trees are cut to whole zkp batches; stateQueue is absent if no entry is left in any requested queue. Foresters that page with startIndex compare initialRoot. This method is for V2 trees.',
  params: QueueElementsParams,
  parseParams: readQueueElementsParams,
  result: closedObject({
    context: Context,
    stateQueue: Type.Optional(StateQueue),
    addressQueue: Type.Optional(AddressQueue),
  }),
  cost: QUEUE_ELEMENTS_COST,
  errors: [
    {
      kind: 'invalidParams',
      when: `no queue is requested, or a limit is absent or above ${MAX_QUEUE_ELEMENTS}, or a zkpBatchSize is above ${MAX_ZKP_BATCH_SIZE}`,
    },
    {
      kind: 'stateError',
      when: 'the tree is unknown, has no such queue, or is unservable, or a queue of a state tree starts after startIndex',
    },
    NOTHING_INDEXED,
  ],
  example: {
    params: { tree, outputQueue: { limit: 500, zkpBatchSize: 1 } },
    result: {
      context: { slot: 40 },
      stateQueue: {
        // Shortened: the nodes of one entry are 65.
        nodes: [
          { index: 0n, hash: ZERO },
          { index: 1n, hash: EXAMPLE_PATH[0] },
          { index: 2n ** 56n, hash: EXAMPLE_PATH[1] },
        ],
        initialRoot: EXAMPLE_ROOT,
        rootSeq: 4n,
        outputQueue: {
          leafIndices: [0],
          accountHashes: [hash],
          leaves: [ZERO],
          firstQueueIndex: 0n,
          nextIndex: 0n,
          leavesHashChains: [hash],
        },
      },
    },
  },
});

export const getQueueInfo = defineContract({
  name: 'getQueueInfo',
  summary: 'The queues of V2 trees, of all or of the given ones, with the number of entries that wait for a batch.',
  description:
    'A state tree has an input queue (type 3) and an output queue (type 5), both with the key of the output queue. An address tree has an address queue (type 4). The order is by tree, then by type. Unknown trees and V1 trees are left out.',
  params: optionalParams(
    closedObject({ trees: Type.Optional(nullable(Type.Array(PubkeyText, { maxItems: MAX_QUEUE_TREES }))) }),
  ),
  isParamsOptional: true,
  parseParams: (params): { trees: Pubkey[] | null } => ({
    trees: optional(readMembers(isWithoutParams(params) ? {} : params, 'params', ['trees']), 'trees', readTrees),
  }),
  result: closedObject({ queues: Type.Array(QueueInfo), slot: SlotNumber }),
  cost: QUEUE_INFO_COST,
  errors: [
    { kind: 'invalidParams', when: `trees is not a list of at most ${MAX_QUEUE_TREES} public keys` },
    { kind: 'stateError', when: 'one of the trees is unservable' },
    NOTHING_INDEXED,
  ],
  example: {
    params: { trees: [tree] },
    result: {
      queues: [
        { tree, queue, queueType: 3, queueSize: 6n },
        { tree, queue, queueType: 5, queueSize: 16n },
      ],
      slot: 40,
    },
  },
});

const readTrees: ReadValue<Pubkey[]> = (value, field) => {
  if (!Array.isArray(value)) throw new InvalidParamsError(`${field} must be an array of public keys`);
  if (value.length > MAX_QUEUE_TREES) {
    throw new InvalidParamsError(`${field} must contain at most ${MAX_QUEUE_TREES} trees, not ${value.length}`);
  }
  return value.map((item, index) => readPubkey(item, `${field}[${index}]`));
};

/** Which entries of an input queue are requested. */
export interface QueueLeavesParams {
  tree: Pubkey;
  limit: number;
  /** Null: the first entry that waits. */
  startIndex: bigint | null;
}

export const getQueueLeafIndices = defineContract({
  name: 'getQueueLeafIndices',
  summary: 'The accounts in the input queue of a V2 state tree that no batch has nullified yet, by queue index.',
  description: 'The list of a tree that is unknown or has no such queue is empty.',
  params: closedObject({
    tree: PubkeyText,
    limit: Type.Integer({ minimum: 0, maximum: MAX_QUEUE_ELEMENTS, description: 'The most entries.' }),
    startIndex: Type.Optional(nullable(describedU64('The least queue index; by default that of the first entry.'))),
  }),
  parseParams: (params): QueueLeavesParams => {
    const members = readMembers(params, 'params', ['tree', 'limit', 'startIndex']);
    return {
      tree: required(members, 'tree', readPubkey),
      limit: readQueueLimit(members, 'limit'),
      startIndex: readQueueStart(members, 'startIndex'),
    };
  },
  result: withContext(Type.Array(QueueLeaf)),
  cost: QUEUE_LEAVES_COST,
  errors: [
    {
      kind: 'invalidParams',
      when: `tree is not a public key, limit is absent or above ${MAX_QUEUE_ELEMENTS}, or startIndex is malformed`,
    },
    { kind: 'stateError', when: 'the tree is unservable' },
    NOTHING_INDEXED,
  ],
  example: {
    params: { tree, limit: 100 },
    result: { context: { slot: 40 }, value: [{ hash, queueIndex: 7n, leafIndex }] },
  },
});
