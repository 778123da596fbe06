import { type TreeSource } from '@fresnel/adapters/chain';
import { type CompressionEvent } from '@fresnel/domain/events';
import { keyOf, type Pubkey } from '@fresnel/domain/primitives';
import { TreeDirectory } from '@fresnel/domain/state';
import { type TreeInfo } from '@fresnel/domain/trees';

/** The negative cache is cleared when it exceeds this number of accounts. */
const NEGATIVE_CACHE_LIMIT = 10_000;

/** The known trees: configured, listed by the node, or looked up because a transaction named them. */
export class TreeRegistry {
  private trees: TreeDirectory;
  /** Keys of accounts that were looked up and are not trees. */
  private readonly negativeCache = new Set<string>();

  /** @param source null: only configured trees are used */
  constructor(
    private readonly configured: readonly TreeInfo[],
    private readonly source: TreeSource | null,
  ) {
    this.trees = new TreeDirectory(configured);
  }

  /** Loads the trees that the node lists, and looks up the preloaded ones. */
  async load(preloaded: readonly Pubkey[], signal: AbortSignal): Promise<void> {
    if (!this.source) return;
    for (const tree of await this.source.listTrees(signal)) this.trees.add(tree);
    await this.findAll(preloaded, signal);
  }

  /**
   * Looks up all trees again after a fork. On the orphaned branch a tree may have had more operations, or an account may
   * have become a tree.
   */
  async reload(preloaded: readonly Pubkey[], signal: AbortSignal): Promise<void> {
    const known = this.all().map(({ tree }) => tree);
    this.trees = new TreeDirectory(this.configured);
    this.negativeCache.clear();
    await this.load([...preloaded, ...known], signal);
    // A tree of the orphaned branch that is not found now may be created on the new branch later.
    this.negativeCache.clear();
  }

  all(): TreeInfo[] {
    return this.trees.all();
  }

  /**
   * Finds the trees that events name. Unknown accounts are looked up until the source answers: the events of a tree that
   * is left out would be lost.
   */
  async resolve(events: readonly CompressionEvent[], signal: AbortSignal): Promise<TreeInfo[]> {
    const named = events.flatMap(treeAccountsOf);
    await this.findAll(named, signal);
    const found = named.map((account) => this.trees.find(account)).filter((tree) => tree !== undefined);
    return [...new Set(found)];
  }

  private async findAll(accounts: readonly Pubkey[], signal: AbortSignal): Promise<void> {
    if (!this.source) return;
    const unknown = new Map<string, Pubkey>();
    for (const account of accounts) {
      const key = keyOf(account);
      if (!this.trees.find(account) && !this.negativeCache.has(key)) unknown.set(key, account);
    }
    if (unknown.size === 0) return;
    for (const tree of await this.source.findTrees([...unknown.values()], signal)) this.trees.add(tree);
    if (this.negativeCache.size > NEGATIVE_CACHE_LIMIT) this.negativeCache.clear();
    for (const [key, account] of unknown) if (!this.trees.find(account)) this.negativeCache.add(key);
  }
}

/** The accounts of trees and queues that an event names. */
function treeAccountsOf(event: CompressionEvent): Pubkey[] {
  if (event.kind !== 'transition') return [event.tree];
  return [...event.outputs.map(({ treeAccount }) => treeAccount), ...event.newAddresses.map(({ tree }) => tree)];
}
