import { type TreeSource } from '@fresnel/adapters/chain';
import { type CompressionEvent } from '@fresnel/domain/events';
import { keyOf, type Pubkey } from '@fresnel/domain/primitives';
import { TreeDirectory } from '@fresnel/domain/state';
import { type TreeInfo } from '@fresnel/domain/trees';

/** Accounts that were looked up and are no trees of ours; beyond so many the memory begins anew. */
const NEGATIVE_CACHE_LIMIT = 10_000;

/** The trees that are known: configured, listed by the chain, or found when a transaction named them. */
export class TreeRegistry {
  private trees: TreeDirectory;
  private readonly negativeCache = new Set<string>();

  /** @param source null: only configured trees count */
  constructor(
    private readonly configured: readonly TreeInfo[],
    private readonly source: TreeSource | null,
  ) {
    this.trees = new TreeDirectory(configured);
  }

  /** Learns what the chain lists, and looks up those that are wanted in any case. */
  async load(wanted: readonly Pubkey[], signal: AbortSignal): Promise<void> {
    if (!this.source) return;
    for (const tree of await this.source.listTrees(signal)) this.trees.add(tree);
    await this.findAll(wanted, signal);
  }

  /**
   * Looks up anew what the chain said: on a branch that it left, trees may have been further, or have been at all. An
   * account that was none of ours there may be a tree here.
   */
  async reload(wanted: readonly Pubkey[], signal: AbortSignal): Promise<void> {
    const known = this.all().map(({ tree }) => tree);
    this.trees = new TreeDirectory(this.configured);
    this.negativeCache.clear();
    await this.load([...wanted, ...known], signal);
    this.negativeCache.clear();
  }

  all(): TreeInfo[] {
    return this.trees.all();
  }

  /** The trees that events name. Unknown accounts are looked up, for as long as it takes: leaving one out would lose it. */
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

/** Trees and queues that an event names. */
function treeAccountsOf(event: CompressionEvent): Pubkey[] {
  if (event.kind !== 'transition') return [event.tree];
  return [...event.outputs.map(({ treeAccount }) => treeAccount), ...event.newAddresses.map(({ tree }) => tree)];
}
