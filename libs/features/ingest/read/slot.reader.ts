import { type Chain } from '@fresnel/adapters/chain';
import { blockLinkOf } from '@fresnel/domain/chain';
import {
  type Block,
  type CompressionEvent,
  MalformedBlockError,
  type ProgramSet,
  TransactionParser,
} from '@fresnel/domain/events';
import { keyOf } from '@fresnel/domain/primitives';
import { parseSlot, type SlotEvents } from '@fresnel/domain/state';
import { type Registry } from '@fresnel/platform';
import { createReadMetrics, type ReadMetrics } from './read.metrics';
import { treeAccountsOf } from './tree-accounts';
import { type ResolvedTrees, TreeRegistry } from './tree-registry';
import { addUnreadTrees } from './unread-trees';

/** Reads the events of blocks, and resolves the trees that they name. It leaves out the signatures of all transactions. */
export class SlotReader {
  constructor(
    readonly trees: TreeRegistry,
    readonly parser: TransactionParser,
    private readonly metrics: ReadMetrics,
  ) {}

  /**
   * Reads the events of a block that is not the first of the index.
   *
   * @param lookupRetryMs how long failed lookups of trees are retried; default: as the registry does
   */
  async read(block: Block, signal: AbortSignal, lookupRetryMs?: number): Promise<SlotEvents> {
    const { blockTime, blockHeight, attested } = block;
    if (blockTime === null) throw new MalformedBlockError(`block ${block.slot} has no time`);
    const parsed = parseSlot(block, blockTime, this.parser);
    const { transactions } = parsed;
    const events = transactions.flatMap((transaction) => transaction.events);
    const resolved = await this.trees.resolve(events, block.slot, signal, lookupRetryMs);
    const deadLetters = addUnreadTrees(parsed.deadLetters, transactions, resolved.unread);
    this.countEvents(block, events, resolved);
    const { trees } = resolved;
    const times = { blockTime, blockHeight, isFirst: false };
    const facts = { transactions, trees, deadLetters, signatures: null };
    return { ...blockLinkOf(block), ...times, ...facts, ...(attested && { attested }) };
  }

  private countEvents(block: Block, events: readonly CompressionEvent[], { unread }: ResolvedTrees): void {
    this.metrics.blocks.inc();
    this.metrics.transactions.inc(block.transactionCount);
    for (const event of events) {
      this.metrics.events.inc({ kind: event.kind });
      const accounts = treeAccountsOf(event).filter((account) => !unread.has(keyOf(account)));
      if (!accounts.every((account) => this.trees.has(account))) this.metrics.foreignEvents.inc();
    }
  }
}

/** Creates the reader of a chain. Its metrics can be registered once in a process. */
export function createSlotReader(
  { trees, treeSource }: Chain,
  { programs }: { programs: ProgramSet },
  registry: Registry,
): SlotReader {
  return new SlotReader(
    new TreeRegistry(trees, treeSource),
    new TransactionParser(programs),
    createReadMetrics(registry),
  );
}
