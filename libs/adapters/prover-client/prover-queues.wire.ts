import { create } from '@bufbuild/protobuf';
import {
  type FindQueuesRequest,
  FindQueuesRequestSchema,
  type FindQueuesResponse,
  FindQueuesResponseSchema,
} from '@fresnel/contracts/prover';
import { MalformedBytesError, type Pubkey, type Slot, toPubkey, toSlot } from '@fresnel/domain/primitives';
import { readBlock, writeBlock } from './proof-records';
import { type QueueRange, type TreeQueues } from './prover-client';

/** A decoded request for the queues of a tree. */
export interface QueuesRequest {
  tree: Pubkey;
  minSlot: Slot;
}

export function writeQueuesRequest({ tree, minSlot }: QueuesRequest): FindQueuesRequest {
  return create(FindQueuesRequestSchema, { tree, minSlot: BigInt(minSlot) });
}

/** @throws MalformedTextError for an invalid key or slot */
export function readQueuesRequest({ tree, minSlot }: FindQueuesRequest): QueuesRequest {
  return { tree: toPubkey(Buffer.from(tree)), minSlot: toSlot(Number(minSlot)) };
}

export function writeQueues({ queue, inputQueue, ...block }: TreeQueues): FindQueuesResponse {
  return create(FindQueuesResponseSchema, {
    ...writeBlock(block),
    queueStart: queue.start,
    queueEnd: queue.end,
    inputQueueStart: inputQueue.start,
    inputQueueEnd: inputQueue.end,
  });
}

/** @throws MalformedTextError, MalformedBytesError for an invalid response */
export function readQueues(response: FindQueuesResponse): TreeQueues {
  return {
    ...readBlock(response),
    queue: toRange(response.queueStart, response.queueEnd),
    inputQueue: toRange(response.inputQueueStart, response.inputQueueEnd),
  };
}

function toRange(start: bigint, end: bigint): QueueRange {
  if (end < start) throw new MalformedBytesError(`a queue from ${start} to ${end}`);
  return { start, end };
}
