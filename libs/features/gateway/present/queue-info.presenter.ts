import { type QueueRange, type TreeQueues } from '@fresnel/adapters/prover-client';
import { type TreeRecord } from '@fresnel/adapters/store-read';
import { type QueueInfo } from '@fresnel/contracts/rpc';
import { toBase58 } from '@fresnel/domain/primitives';

/** Types of queues, with their codes on the chain. */
const QUEUE_TYPES = { input: 3, address: 4, output: 5 } as const;

/** Presents the queues of a V2 tree, by type. V1 trees have none. */
export function presentQueues(
  record: Pick<TreeRecord, 'tree' | 'queue' | 'treeType'>,
  { queue, inputQueue }: Pick<TreeQueues, 'queue' | 'inputQueue'>,
): QueueInfo[] {
  const present = (type: keyof typeof QUEUE_TYPES, { start, end }: QueueRange): QueueInfo => ({
    tree: toBase58(record.tree),
    queue: toBase58(record.queue),
    queueType: QUEUE_TYPES[type],
    queueSize: end - start,
  });
  if (record.treeType === 'addressV2') return [present('address', queue)];
  if (record.treeType !== 'stateV2') return [];
  return [present('input', inputQueue), present('output', queue)];
}
