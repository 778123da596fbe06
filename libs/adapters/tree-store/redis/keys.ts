import { TREE_UPDATES } from '@fresnel/contracts/messages';
import { type Pubkey, toBase58 } from '@fresnel/domain/primitives';

/** Selects the keys of a deployment in a shared Redis. */
export interface TreeKeyspace {
  /** Prefix of all keys. Must contain no braces. Default: none. */
  prefix?: string;
  /**
   * Name in the cluster of the topic that the trees are built from. It is part of the keys, because stored positions
   * are offsets of this topic. Default: `tree-updates`.
   */
  topicName?: string;
}

/**
 * All keys of one tree. They have the same hash tag, the part in braces, so a Redis Cluster stores them on one node,
 * and one script can use them all.
 */
export interface TreeKeys extends TreeDataKeys {
  /** Hash: head, slot, history id, offset in `tree-updates`, and the fencing epoch. */
  state: string;
  /** The same data of a tree that is being loaded. */
  loading: TreeDataKeys;
}

/** The keys of a tree apart from its state. */
export interface TreeDataKeys {
  /** Sorted set: elements by value. A state tree has none. */
  elements: string;
  /** Hash: pages of nodes by id. */
  pages: string;
  /** Sorted set: queued addresses or leaves by queue position. */
  queue: string;
  /** Set: the same addresses, for lookups by address. A state tree has none. */
  queuedAddresses: string;
  /** Sorted set: StateV2: the input queue by queue position. */
  inputQueue: string;
  /** Sorted set: undo records by number. */
  undo: string;
}

/** The keys of a partition. The keys of all partitions are on one node. */
export interface PartitionKeys {
  /** Hash: epoch of the writer, offset, and recent blocks. */
  position: string;
  /** Hash: the trees of the partition, each with '1' if one of its commits was ever finished, else '0'. */
  trees: string;
  /** Hash: slot by partition. All partitions share this key. */
  slots: string;
}

/** Used instead of a partition number if updates do not come from a bus. */
export const NO_BUS = 'none';

/** Creates the keys of a keyspace. */
export class TreeStoreKeys {
  private readonly root: string;

  constructor({ prefix = '', topicName = TREE_UPDATES.name }: TreeKeyspace = {}) {
    this.root = `${prefix}fresnel:trees:${topicName}`;
  }

  ofTree(tree: Pubkey): TreeKeys {
    const name = (part: string) => `${this.root}:{${toBase58(tree)}}:${part}`;
    const dataKeys = (prefix: string): TreeDataKeys => ({
      elements: name(`${prefix}elements`),
      pages: name(`${prefix}pages`),
      queue: name(`${prefix}queue`),
      queuedAddresses: name(`${prefix}queued-addresses`),
      inputQueue: name(`${prefix}input-queue`),
      undo: name(`${prefix}undo`),
    });
    return { state: name('state'), ...dataKeys(''), loading: dataKeys('loading:') };
  }

  /** @param partition its number, or `NO_BUS` */
  ofPartition(partition: number | string): PartitionKeys {
    const name = (part: string) => `${this.root}:{partitions}:${part}`;
    return { position: name(`${partition}:position`), trees: name(`${partition}:trees`), slots: name('slots') };
  }
}

/** The keys of a tree's data in the order of the scripts: elements, pages, queue, queued addresses, undo, input queue. */
export function dataKeysOf({ elements, pages, queue, queuedAddresses, undo, inputQueue }: TreeDataKeys): string[] {
  return [elements, pages, queue, queuedAddresses, undo, inputQueue];
}
