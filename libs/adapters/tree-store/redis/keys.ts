import { TREE_UPDATES } from '@fresnel/contracts/messages';
import { type Pubkey, toBase58 } from '@fresnel/domain/primitives';

/** Which keys of a Redis hold the trees of a deployment. */
export interface TreeKeyspace {
  /** Put before every key, so that deployments can share a Redis. Must contain no braces. Default: none. */
  prefix?: string;
  /**
   * Name in the cluster of the topic that the trees are built from. Stored positions are offsets of this topic; trees of
   * another topic have other keys. Default: `tree-updates`.
   */
  topicName?: string;
}

/**
 * All keys of one tree. Redis Cluster places a key by its hash tag, the part in braces, so a script that reads or writes a
 * tree uses one node only.
 */
export interface TreeKeys {
  /** Hash: head, slot, offset in `tree-updates`, and the fencing epoch. */
  state: string;
  /** Sorted set: elements by value. */
  elements: string;
  /** Hash: pages of nodes by id. */
  pages: string;
  /** Sorted set: queued addresses by queue position. */
  queue: string;
  /** Set: the same addresses, for lookups by address. */
  queuedAddresses: string;
  /** Sorted set: undo records by number. */
  undo: string;
}

/** The keys of a partition. The keys of all partitions are on one node. */
export interface PartitionKeys {
  /** Hash: epoch of the writer, offset, and recent blocks. */
  position: string;
  /** Hash: the trees of the partition, and whether a commit of each was ever finished. */
  trees: string;
  /** Hash: slot by partition. The one key that all partitions share. */
  slots: string;
}

/** The partition's name when updates do not come from a bus. */
export const NO_BUS = 'none';

/** Names the keys of a keyspace. */
export class TreeStoreKeys {
  private readonly root: string;

  constructor({ prefix = '', topicName = TREE_UPDATES.name }: TreeKeyspace = {}) {
    this.root = `${prefix}fresnel:trees:${topicName}`;
  }

  ofTree(tree: Pubkey): TreeKeys {
    const name = (part: string) => `${this.root}:{${toBase58(tree)}}:${part}`;
    return {
      state: name('state'),
      elements: name('elements'),
      pages: name('pages'),
      queue: name('queue'),
      queuedAddresses: name('queued-addresses'),
      undo: name('undo'),
    };
  }

  /** @param partition its number, or `NO_BUS` */
  ofPartition(partition: number | string): PartitionKeys {
    const name = (part: string) => `${this.root}:{partitions}:${part}`;
    return { position: name(`${partition}:position`), trees: name(`${partition}:trees`), slots: name('slots') };
  }
}
