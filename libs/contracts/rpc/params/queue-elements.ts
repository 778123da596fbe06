import { type Pubkey } from '@fresnel/domain/primitives';
import { Type } from 'typebox';
import { closedObject } from '../schemas/closed-object';
import { DEFAULT_ZKP_BATCH_SIZE, MAX_QUEUE_ELEMENTS, MAX_ZKP_BATCH_SIZE } from '../schemas/queues';
import { describedU64, nullable, PubkeyText } from '../schemas/scalars';
import { readPubkey } from './base58-values';
import { InvalidParamsError } from './invalid-params.error';
import { type Members, optional, readMembers, type ReadValue, required } from './members';

/** A request for entries of the queues of a tree. At least one queue is not null. */
export interface QueueElementsParams {
  tree: Pubkey;
  outputQueue: QueueParams | null;
  inputQueue: QueueParams | null;
  addressQueue: QueueParams | null;
}

/** Which entries of a queue are requested. */
export interface QueueParams {
  limit: number;
  /** Null: the first entry that waits. */
  startIndex: bigint | null;
  zkpBatchSize: number;
}

const QueueSelection = closedObject(
  {
    limit: Type.Integer({ minimum: 0, maximum: MAX_QUEUE_ELEMENTS, description: 'The most entries.' }),
    startIndex: Type.Optional(
      nullable(describedU64('Queue index of the first entry; by default the first one that waits.')),
    ),
    zkpBatchSize: Type.Optional(
      nullable(
        Type.Integer({
          minimum: 0,
          maximum: MAX_ZKP_BATCH_SIZE,
          description: `Entries of a zkp batch; 0 is the default, ${DEFAULT_ZKP_BATCH_SIZE}.`,
        }),
      ),
    ),
  },
  { title: 'QueueSelection' },
);

export const QueueElementsParams = closedObject({
  tree: PubkeyText,
  outputQueue: Type.Optional(nullable(QueueSelection)),
  inputQueue: Type.Optional(nullable(QueueSelection)),
  addressQueue: Type.Optional(nullable(QueueSelection)),
});

/** @throws InvalidParamsError */
export function readQueueElementsParams(params: unknown): QueueElementsParams {
  const members = readMembers(params, 'params', ['tree', 'outputQueue', 'inputQueue', 'addressQueue']);
  const queues = {
    outputQueue: optional(members, 'outputQueue', readQueue),
    inputQueue: optional(members, 'inputQueue', readQueue),
    addressQueue: optional(members, 'addressQueue', readQueue),
  };
  const tree = required(members, 'tree', readPubkey);
  if (Object.values(queues).every((queue) => queue === null)) {
    throw new InvalidParamsError('at least one of outputQueue, inputQueue and addressQueue is required');
  }
  return { tree, ...queues };
}

const readQueue: ReadValue<QueueParams> = (value, field) => {
  const members = readMembers(value, field, ['limit', 'startIndex', 'zkpBatchSize']);
  const zkpBatchSize = readInteger(members, `${field}.zkpBatchSize`, 'zkpBatchSize', MAX_ZKP_BATCH_SIZE) ?? 0;
  return {
    limit: readQueueLimit(members, `${field}.limit`),
    startIndex: readQueueStart(members, `${field}.startIndex`),
    zkpBatchSize: zkpBatchSize === 0 ? DEFAULT_ZKP_BATCH_SIZE : zkpBatchSize,
  };
};

/** The most entries of a queue that are requested. */
export function readQueueLimit(members: Members, field: string): number {
  const limit = readInteger(members, field, 'limit', MAX_QUEUE_ELEMENTS);
  if (limit === null) throw new InvalidParamsError(`${field} is required`);
  return limit;
}

/** The queue index of the first entry that is requested. */
export function readQueueStart(members: Members, field: string): bigint | null {
  const startIndex = readInteger(members, field, 'startIndex', 2 ** 64 - 1);
  return startIndex === null ? null : BigInt(startIndex);
}

/** Null if the member is absent or null. @param max its value as a number: 2^64-1 is rounded to 2^64, which is excluded */
function readInteger(members: Members, field: string, name: string, max: number): number | null {
  return optional(members, name, (value) => {
    const isInRange = typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= max;
    if (!isInRange || value >= 2 ** 64)
      throw new InvalidParamsError(`${field} must be an integer from 0 to ${BigInt(max)}`);
    return value;
  });
}
