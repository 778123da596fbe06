import {
  emptiedTree,
  type PostgresTreeReads,
  type RebuiltTree,
  rebuildTree,
  TreeNotRebuildableError,
} from '@fresnel/adapters/tree-store';
import { FresnelError, type Pubkey, type Slot, toBase58, type TreeHasher, toSlot } from '@fresnel/domain/primitives';
import {
  compareWithHistory,
  hasMissingOperations,
  isAddressTree,
  type TreeHead,
  type TreeType,
} from '@fresnel/domain/trees';

/** How a quarantined tree is rebuilt. */
export interface RebuildOptions {
  /** Start in the initial state, instead of with the stored addresses. */
  fromEmpty: boolean;
}

/** A tree that was rebuilt. */
export interface TreeRebuild {
  tree: string;
  type: TreeType;
  seq: number;
  /** Leaf index of the next leaf. */
  nextLeafIndex: number;
  /** Addresses or leaves that wait in the queue. */
  queuedAddresses: number;
  root: string;
  /** Why the root was not compared with the chain; null: it is equal. */
  rootNotCompared: string | null;
  /** Ingest publishes the operations from this slot on again. */
  republishedFromSlot: Slot;
}

/** What a rebuild reads and writes. */
export interface RebuildSources {
  trees: Pick<PostgresTreeReads, 'listHeads' | 'addressChunks' | 'readQueue'>;
  /** Stores the rebuilt tree if the stored one has not changed, and requests the operations from a slot on. */
  replace(before: TreeHead, rebuilt: RebuiltTree, fromSlot: Slot): Promise<void>;
  /** Reads the data of an account; null without a node. */
  readAccount: ((account: Pubkey, minContextSlot: Slot) => Promise<Buffer | null>) | null;
  /** The first slot of the index; null if nothing is indexed. */
  findFirstSlot(): Promise<Slot | null>;
  hasher: TreeHasher;
  /** Called with the number of leaves that are hashed, of all. */
  onProgress(leaves: number, allLeaves: number): void;
}

/** The tree is not stored, or nothing is wrong with it. */
export class TreeNotQuarantinedError extends FresnelError {
  readonly code = 'tree-not-quarantined';
  readonly isRetryable = false;
}

/** The stored addresses of a tree differ from the chain. */
export class WrongAddressesError extends FresnelError {
  readonly code = 'wrong-addresses';
  readonly isRetryable = false;
}

/** The nodes of a state tree are not stored apart from its leaves, so it can be computed only from its operations. */
class StateTreeRebuildError extends FresnelError {
  readonly code = 'state-tree-rebuild';
  readonly isRetryable = false;

  constructor(tree: Pubkey) {
    super(
      `a state tree is rebuilt from its operations, which are all published again: fresnel trees rebuild ${toBase58(tree)} --from-empty`,
    );
  }
}

/** A fork may have replaced blocks before the last change of the tree. Operations that are applied change nothing. */
const SLOTS_BEFORE_LAST_CHANGE = 64;

/**
 * Rebuilds a quarantined tree and releases it. Its proofs are refused until the operations that it has ignored are applied. From
 * empty, a tree that lacks operations can be rebuilt too: migrated leaves that were counted after missing operations stay in the
 * wrong place when these are published again.
 *
 * @throws TreeNotQuarantinedError, WrongAddressesError, StateTreeRebuildError, TreeChangedError
 */
export async function rebuildQuarantinedTree(
  tree: Pubkey,
  options: RebuildOptions,
  sources: RebuildSources,
): Promise<TreeRebuild> {
  const stored = await findRebuildable(tree, options, sources);
  const rebuilt = options.fromEmpty ? emptiedTree(stored, sources.hasher) : await rebuildFrom(stored, sources);
  const rootNotCompared = options.fromEmpty
    ? 'the tree starts in its initial state'
    : await compareRoot(rebuilt.head, sources);
  const firstSlot = await sources.findFirstSlot();
  const changedSlot = Math.max(stored.changes.lastSlot - SLOTS_BEFORE_LAST_CHANGE, firstSlot ?? 0);
  const republishedFromSlot = options.fromEmpty && firstSlot !== null ? firstSlot : toSlot(changedSlot);
  await sources.replace(stored, rebuilt, republishedFromSlot);
  const { info, seq, nextIndex, root } = rebuilt.head;
  return {
    tree: toBase58(tree),
    type: info.type,
    seq: Number(seq),
    nextLeafIndex: nextIndex,
    queuedAddresses: rebuilt.queue.size,
    root: toBase58(root),
    rootNotCompared,
    republishedFromSlot,
  };
}

async function findRebuildable(
  tree: Pubkey,
  { fromEmpty }: RebuildOptions,
  { trees }: RebuildSources,
): Promise<TreeHead> {
  const head = (await trees.listHeads()).find(({ info }) => info.tree.equals(tree));
  if (!head) throw new TreeNotQuarantinedError(`no tree ${toBase58(tree)} is stored`);
  if (head.quarantineReason || (fromEmpty && hasMissingOperations(head))) return head;
  throw new TreeNotQuarantinedError(`tree ${toBase58(tree)} is not quarantined`);
}

async function rebuildFrom(stored: TreeHead, sources: RebuildSources): Promise<RebuiltTree> {
  const { trees, hasher } = sources;
  const { info, nextIndex } = stored;
  if (!isAddressTree(info)) throw new StateTreeRebuildError(info.tree);
  const queue = await trees.readQueue(info, 0n);
  const report = (leaves: number) => {
    sources.onProgress(leaves, nextIndex);
  };
  try {
    return await rebuildTree(stored, trees.addressChunks(info.tree), queue, hasher, report);
  } catch (error) {
    if (!(error instanceof TreeNotRebuildableError)) throw error;
    throw wrongAddresses(info.tree, error.message);
  }
}

/** @returns why the root was not compared; null if it is equal @throws WrongAddressesError if it differs */
async function compareRoot({ info, seq, root, changes }: TreeHead, sources: RebuildSources): Promise<string | null> {
  if (!sources.readAccount) return 'no node was asked';
  const data = await sources.readAccount(info.tree, changes.lastSlot);
  if (!data) throw wrongAddresses(info.tree, 'the tree account does not exist');
  switch (compareWithHistory(data, { seq, root })) {
    case 'equal':
      return null;
    case 'not-in-history':
      return `the root history of the tree account no longer has the root of sequence number ${seq}`;
    case 'different':
      throw wrongAddresses(info.tree, `their root at sequence number ${seq} is ${toBase58(root)}`);
  }
}

function wrongAddresses(tree: Pubkey, reason: string): WrongAddressesError {
  return new WrongAddressesError(
    `the stored addresses themselves differ from the chain: ${reason}. Start with the initial tree, whose operations are all published again: fresnel trees rebuild ${toBase58(tree)} --from-empty`,
  );
}
