import { IncompleteTreesError, type TreeSource } from '@fresnel/adapters/chain';
import { type CompressionEvent } from '@fresnel/domain/events';
import { keyOf, type Pubkey, type Slot } from '@fresnel/domain/primitives';
import { TreeDirectory } from '@fresnel/domain/state';
import { type TreeInfo } from '@fresnel/domain/trees';
import { NegativeCache } from './negative-cache';
import { treeAccountsOf } from './tree-accounts';

/** Transactions can name any account. So the number of remembered accounts is limited. */
const NEGATIVE_CACHE_CAPACITY = 10_000;
/** How long the lookup of a tree that a block names is retried. Nodes behind a load balancer differ by seconds. */
const LOOKUP_RETRY_MS = 60_000;

export interface TreeRegistryOptions {
  negativeCacheCapacity: number;
  lookupRetryMs: number;
}

/** The accounts that some events name. An account in neither list is not a tree. */
export interface ResolvedTrees {
  trees: TreeInfo[];
  /** The reasons why accounts that may be trees could not be read, by `keyOf` the account. */
  unread: ReadonlyMap<string, string>;
}

/** The known trees: configured, listed by the node, or looked up because a transaction named them. */
export class TreeRegistry {
  private trees: TreeDirectory;
  private readonly negativeCache: NegativeCache;
  private readonly lookupRetryMs: number;

  /** @param source null: only configured trees are used */
  constructor(
    private readonly configured: readonly TreeInfo[],
    private readonly source: TreeSource | null,
    {
      negativeCacheCapacity = NEGATIVE_CACHE_CAPACITY,
      lookupRetryMs = LOOKUP_RETRY_MS,
    }: Partial<TreeRegistryOptions> = {},
  ) {
    this.trees = new TreeDirectory(configured);
    this.negativeCache = new NegativeCache(negativeCacheCapacity);
    this.lookupRetryMs = lookupRetryMs;
  }

  /**
   * Loads the trees that the node lists, and looks up the preloaded ones. Waits while the node cannot be reached. A node need not list
   * trees: each one is looked up when a transaction names it.
   *
   * @param slot the node must have reached this slot
   */
  async load(preloaded: readonly Pubkey[], slot: Slot, signal: AbortSignal): Promise<void> {
    if (!this.source) return;
    for (const tree of await this.source.listTrees(slot, signal).catch(toNone)) this.trees.add(tree);
    await this.lookUp(preloaded, slot, Infinity, signal);
  }

  /**
   * Looks up all trees again after a fork. On the orphaned branch a tree may have had more operations, or an account may
   * have become a tree.
   */
  async reload(preloaded: readonly Pubkey[], slot: Slot, signal: AbortSignal): Promise<void> {
    const known = this.all().map(({ tree }) => tree);
    this.trees = new TreeDirectory(this.configured);
    this.negativeCache.clear();
    await this.load([...preloaded, ...known], slot, signal);
    // A tree of the orphaned branch that is not found now may be created on the new branch later.
    this.negativeCache.clear();
  }

  all(): TreeInfo[] {
    return this.trees.all();
  }

  /**
   * Finds the trees that the events of a block name. A lookup that fails is retried for a limited time.
   *
   * @param slot the slot of the block
   * @param retryForMs 0: one attempt
   */
  async resolve(
    events: readonly CompressionEvent[],
    slot: Slot,
    signal: AbortSignal,
    retryForMs = this.lookupRetryMs,
  ): Promise<ResolvedTrees> {
    const named = events.flatMap(treeAccountsOf);
    const unread = await this.lookUp(named, slot, retryForMs, signal);
    const found = named.map((account) => this.trees.find(account)).filter((tree) => tree !== undefined);
    return { trees: [...new Set(found)], unread };
  }

  /** Whether an account is a known tree, or the queue of one. */
  has(account: Pubkey): boolean {
    return this.trees.find(account) !== undefined;
  }

  /** @returns the accounts that could not be read, as `ResolvedTrees` has them */
  private async lookUp(
    accounts: readonly Pubkey[],
    minContextSlot: Slot,
    retryForMs: number,
    signal: AbortSignal,
  ): Promise<ResolvedTrees['unread']> {
    const isUnknown = (account: Pubkey) => !this.has(account) && !this.negativeCache.has(account, minContextSlot);
    const unknown = new Map(accounts.filter(isUnknown).map((account) => [keyOf(account), account]));
    if (!this.source || unknown.size === 0) return new Map();
    const lookup = { accounts: [...unknown.values()], minContextSlot, retryForMs };
    const { trees, unread, slot } = await this.source.findTrees(lookup, signal);
    for (const tree of trees) this.trees.add(tree);
    const reasons = new Map(unread.map(({ account, reason }) => [keyOf(account), reason]));
    for (const [key, account] of unknown) {
      if (!this.has(account) && !reasons.has(key)) this.negativeCache.add(account, slot);
    }
    return reasons;
  }
}

function toNone(error: unknown): TreeInfo[] {
  if (error instanceof IncompleteTreesError) return [];
  throw error;
}
