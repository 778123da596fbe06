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
  /**
   * Hash: `entry` that changed the tree last, `slot` and `blockhash` of its partition then, `nodesEntry` that last changed more than
   * the ends of its queues, `head`, `height` and `kind`.
   */
  state: string;
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

/** Creates the keys of a keyspace. */
export class TreeStoreKeys {
  private readonly root: string;

  constructor({ prefix = '', topicName = TREE_UPDATES.name }: TreeKeyspace = {}) {
    this.root = `${prefix}fresnel:trees:${topicName}`;
  }

  ofTree(tree: Pubkey): TreeKeys {
    return { state: this.nameOf(tree, 'state'), ...this.dataKeys(tree, '') };
  }

  /** The keys that one load of a tree writes its data to. */
  ofLoad(tree: Pubkey, load: string): TreeDataKeys {
    return this.dataKeys(tree, `load:${load}:`);
  }

  /** Hash: the mark of each partition. */
  get marks(): string {
    return `${this.root}:marks`;
  }

  private dataKeys(tree: Pubkey, prefix: string): TreeDataKeys {
    const name = (part: string) => this.nameOf(tree, `${prefix}${part}`);
    return {
      elements: name('elements'),
      pages: name('pages'),
      queue: name('queue'),
      queuedAddresses: name('queued-addresses'),
      inputQueue: name('input-queue'),
      undo: name('undo'),
    };
  }

  private nameOf(tree: Pubkey, part: string): string {
    return `${this.root}:{${toBase58(tree)}}:${part}`;
  }
}

/** The keys of a tree's data in the order of the scripts: elements, pages, queue, queued addresses, undo, input queue. */
export function dataKeysOf({ elements, pages, queue, queuedAddresses, undo, inputQueue }: TreeDataKeys): string[] {
  return [elements, pages, queue, queuedAddresses, undo, inputQueue];
}
