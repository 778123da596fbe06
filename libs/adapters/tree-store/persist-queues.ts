import { type Hash, type Pubkey } from '@fresnel/domain/primitives';
import { isAddressTree, type QueuedNullifier } from '@fresnel/domain/trees';
import { type EntityManager } from 'typeorm';
import { STATE_QUEUES } from './journal-tables';
import { type TreeCommit } from './tree-store';

/** Writes the changes of the queues of a tree. */
export async function persistQueues(manager: EntityManager, commit: TreeCommit): Promise<void> {
  if (isAddressTree(commit.head.info)) await persistAddressQueue(manager, commit);
  else if (commit.head.info.type === 'stateV2') await persistStateQueues(manager, commit);
}

async function persistAddressQueue(manager: EntityManager, { head, queue }: TreeCommit): Promise<void> {
  const { tree } = head.info;
  const { truncatedFrom, added, start } = queue;
  if (truncatedFrom !== null) {
    await manager.query(`DELETE FROM address_tree_queue WHERE tree = $1 AND queue_index >= $2`, [tree, truncatedFrom]);
  }
  await insertQueued(manager, tree, added);
  await manager.query(`DELETE FROM address_tree_queue WHERE tree = $1 AND queue_index < $2`, [tree, start]);
}

/** Inserts queued addresses by position. */
export async function insertQueued(
  manager: EntityManager,
  tree: Pubkey,
  queued: ReadonlyMap<bigint, Hash>,
): Promise<void> {
  if (queued.size === 0) return;
  await manager.query(
    `INSERT INTO address_tree_queue (tree, queue_index, address) SELECT $1, * FROM unnest($2::numeric[], $3::bytea[])
     ON CONFLICT (tree, queue_index) DO NOTHING`,
    [tree, [...queued.keys()], [...queued.values()]],
  );
}

async function persistStateQueues(manager: EntityManager, { head, queue, inputQueue }: TreeCommit): Promise<void> {
  const { tree } = head.info;
  const truncated = [queue.truncatedFrom, inputQueue.truncatedFrom];
  if (truncated.some((from) => from !== null)) {
    await manager.query(
      `DELETE FROM state_tree_queue
       WHERE tree = $1 AND (queue_type = ${STATE_QUEUES.output} AND position >= $2::numeric
         OR queue_type = ${STATE_QUEUES.input} AND position >= $3::numeric)`,
      [tree, ...truncated],
    );
  }
  await insertQueuedLeaves(manager, tree, queue.added);
  await insertNullifiers(manager, tree, inputQueue.added);
  await manager.query(
    `DELETE FROM state_tree_queue
     WHERE tree = $1 AND (queue_type = ${STATE_QUEUES.output} AND position < $2::numeric
       OR queue_type = ${STATE_QUEUES.input} AND position < $3::numeric)`,
    [tree, queue.start, inputQueue.start],
  );
}

/** Inserts the account hashes of an output queue by position. */
async function insertQueuedLeaves(
  manager: EntityManager,
  tree: Pubkey,
  leaves: ReadonlyMap<bigint, Hash>,
): Promise<void> {
  if (leaves.size === 0) return;
  await manager.query(
    `INSERT INTO state_tree_queue (tree, queue_type, position, hash)
     SELECT $1, ${STATE_QUEUES.output}, * FROM unnest($2::numeric[], $3::bytea[])
     ON CONFLICT (tree, queue_type, position) DO NOTHING`,
    [tree, [...leaves.keys()], [...leaves.values()]],
  );
}

/** Inserts the entries of an input queue by position. */
async function insertNullifiers(
  manager: EntityManager,
  tree: Pubkey,
  nullifiers: ReadonlyMap<bigint, QueuedNullifier>,
): Promise<void> {
  if (nullifiers.size === 0) return;
  const entries = [...nullifiers.values()];
  await manager.query(
    `INSERT INTO state_tree_queue (tree, queue_type, position, hash, leaf_index, tx_hash, nullifier)
     SELECT $1, ${STATE_QUEUES.input}, * FROM unnest($2::numeric[], $3::bytea[], $4::bigint[], $5::bytea[], $6::bytea[])
     ON CONFLICT (tree, queue_type, position) DO NOTHING`,
    [
      tree,
      [...nullifiers.keys()],
      entries.map(({ hash }) => hash),
      entries.map(({ leafIndex }) => leafIndex),
      entries.map(({ txHash }) => txHash),
      entries.map(({ nullifier }) => nullifier),
    ],
  );
}
