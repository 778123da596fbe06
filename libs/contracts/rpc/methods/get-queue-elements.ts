import { Type } from 'typebox';
import { QUEUE_ELEMENTS_COST } from '../cost';
import { defineContract, NOTHING_INDEXED } from '../method-contract';
import { QueueElementsParams, readQueueElementsParams } from '../params/queue-elements';
import { closedObject } from '../schemas/closed-object';
import { Context } from '../schemas/context';
import { AddressQueue, MAX_QUEUE_ELEMENTS, MAX_ZKP_BATCH_SIZE, StateQueue } from '../schemas/queue-elements';
import { EXAMPLE_ACCOUNT_V2 } from './example-values';
import { EXAMPLE_PATH, EXAMPLE_ROOT } from './get-compressed-account-proof';

const { hash, merkleContext } = EXAMPLE_ACCOUNT_V2;
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
    params: { tree: merkleContext.tree, outputQueue: { limit: 500, zkpBatchSize: 1 } },
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
