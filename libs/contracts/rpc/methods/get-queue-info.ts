import { type Pubkey } from '@fresnel/domain/primitives';
import { Type } from 'typebox';
import { QUEUE_INFO_COST } from '../cost';
import { defineContract, NOTHING_INDEXED } from '../method-contract';
import { readPubkey } from '../params/base58-values';
import { InvalidParamsError } from '../params/invalid-params.error';
import { optional, readMembers, type ReadValue } from '../params/members';
import { isWithoutParams, optionalParams } from '../params/no-params';
import { closedObject } from '../schemas/closed-object';
import { MAX_QUEUE_TREES, QueueInfo } from '../schemas/queue-info';
import { nullable, PubkeyText, SlotNumber } from '../schemas/scalars';
import { EXAMPLE_ACCOUNT_V2 } from './example-values';

const { tree, queue } = EXAMPLE_ACCOUNT_V2.merkleContext;

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
