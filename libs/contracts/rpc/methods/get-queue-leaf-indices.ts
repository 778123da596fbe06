import { type Pubkey } from '@fresnel/domain/primitives';
import { Type } from 'typebox';
import { QUEUE_LEAVES_COST } from '../cost';
import { defineContract, NOTHING_INDEXED } from '../method-contract';
import { readPubkey } from '../params/base58-values';
import { readMembers, required } from '../params/members';
import { readQueueLimit, readQueueStart } from '../params/queue-elements';
import { closedObject } from '../schemas/closed-object';
import { withContext } from '../schemas/context';
import { MAX_QUEUE_ELEMENTS, QueueLeaf } from '../schemas/queue-elements';
import { describedU64, nullable, PubkeyText } from '../schemas/scalars';
import { EXAMPLE_ACCOUNT_V2 } from './example-values';

const { hash, leafIndex, merkleContext } = EXAMPLE_ACCOUNT_V2;

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
    params: { tree: merkleContext.tree, limit: 100 },
    result: { context: { slot: 40 }, value: [{ hash, queueIndex: 7n, leafIndex }] },
  },
});
