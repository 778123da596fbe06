import { type Pubkey, toBase58 } from '@fresnel/domain/primitives';

const PREFIX = 'fresnel:trees';

/**
 * Everything about one tree. A cluster places a key by what stands in the braces, so a script that reads or writes a tree
 * touches one node only.
 */
export interface TreeKeys {
  /** Hash: head, slot, how far in `tree-updates` it is, and who may write. */
  state: string;
  /** Sorted set: elements by value. */
  elements: string;
  /** Hash: pages of nodes by id. */
  pages: string;
  /** Sorted set: waiting addresses by queue position. */
  queue: string;
  /** Set: the same addresses, to be found by themselves. */
  waiting: string;
  /** Sorted set: how to take the last changes back, by their numbers. */
  undo: string;
}

export function keysOfTree(tree: Pubkey): TreeKeys {
  const name = (part: string) => `${PREFIX}:{${toBase58(tree)}}:${part}`;
  return {
    state: name('state'),
    elements: name('elements'),
    pages: name('pages'),
    queue: name('queue'),
    waiting: name('waiting'),
    undo: name('undo'),
  };
}

/** What is known about partitions; all of it on one node. */
export interface PartitionKeys {
  /** Hash: epoch of the writer, where it stands, and the blocks that it remembers. */
  position: string;
  /** Hash: the trees of the partition, and whether a commit of theirs was ever finished. */
  trees: string;
  /** Hash: slot reached, by partition. The one key that all partitions share. */
  slots: string;
}

/** The name that stands for a partition where updates do not come from a bus. */
export const NO_BUS = 'none';

/** @param partition its number, or `NO_BUS` */
export function keysOfPartition(partition: number | string): PartitionKeys {
  const name = (part: string) => `${PREFIX}:{partitions}:${part}`;
  return { position: name(`${partition}:position`), trees: name(`${partition}:trees`), slots: name('slots') };
}
