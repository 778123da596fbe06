import { type Bus } from '@fresnel/adapters/bus';
import { type BlockSource } from '@fresnel/adapters/chain';
import { type InMemoryTreeStore, type TreeRepublication } from '@fresnel/adapters/tree-store';
import { type ParsedTransaction } from '@fresnel/domain/events';
import { keyOf, type Pubkey, type Slot } from '@fresnel/domain/primitives';
import { hasMissingOperations } from '@fresnel/domain/trees';
import {
  createReadMetrics,
  type RepublicationParts,
  SlotReader,
  TreeOperationsRepublisher,
  type TreeRegistry,
} from '@fresnel/features/ingest';
import { createLogger, Registry } from '@fresnel/platform';
import { sleep } from '@fresnel/platform/time';
import { headsOf } from '@fresnel/testing/trees';
import { RememberingParser } from './remembering-parser';
import { type Fault, type Scheduler } from './scheduler';
import { type SimulatedChain } from './simulated-chain';
import { type SimulatedNodes } from './simulated-nodes';

/** So many blocks are on all branches, and are never reverted. */
const COMMON_BLOCKS = 5;
const INTERVAL_MS = 2_000;
const SILENT = createLogger('silent');

/** A parser that cannot read some transactions: they become dead letters. */
class OutdatedParser extends RememberingParser {
  constructor(private readonly unreadable: ReadonlySet<string>) {
    super();
  }

  override parse(json: string): ParsedTransaction | null {
    const parsed = super.parse(json);
    return parsed && this.unreadable.has(json) ? { ...parsed, events: [], problems: ['unknown'] } : parsed;
  }
}

/**
 * An operator who has the operations of dead letters published again while blocks follow, as soon as trees lack them.
 *
 * ```
 *   block      … 1005  1007  1008  1009  1010 …
 *   tree            ·     7     8           9      the operations of 1005 could not be read: 7 to 9 are not applied
 *   operator                        republish --from 1005
 * ```
 */
export class SimulatedRepublication {
  /** The parser of an ingest that follows the chain: all transactions of one block are dead letters. */
  readonly parser: RememberingParser;
  private readonly fromSlot: Slot;
  private requests: TreeRepublication[] = [];
  private newestId = 0;

  constructor(
    private readonly scheduler: Scheduler,
    private readonly trees: InMemoryTreeStore,
    private readonly nodes: SimulatedNodes,
    { parsed }: SimulatedChain,
    signal: AbortSignal,
  ) {
    const parser = new RememberingParser();
    const hasEvents = (json: string) => (parser.parse(json)?.events.length ?? 0) > 0;
    const letters = parsed
      .slice(0, COMMON_BLOCKS)
      .findLast(({ transactions }) => transactions.some(({ json }) => hasEvents(json)));
    if (!letters) throw new Error('no block before the branches changes a tree');
    this.fromSlot = letters.slot;
    this.parser = new OutdatedParser(new Set(letters.transactions.map(({ json }) => json)));
    scheduler.spawn('operator', () => {
      void this.operate(signal);
    });
  }

  /** All nodes say of a block that is published again that there is none. */
  faultOf(probability: number): Fault {
    const happen = () => {
      if (this.requests.length === 0) return null;
      const slot = this.nodes.lieAbout((slots) => slots.filter((one) => one >= this.fromSlot));
      return slot === null ? null : `all nodes say once that ${slot} was skipped`;
    };
    return { name: 'false skip', probability, happen };
  }

  /** What publishes operations again for an ingest. It can read all transactions. */
  republisherOf(source: BlockSource, bus: Bus, trees: TreeRegistry): TreeOperationsRepublisher {
    const reader = new SlotReader(trees, new RememberingParser(), createReadMetrics(new Registry()));
    const parts: RepublicationParts = {
      trees: {
        listHeads: () => this.read('heads', () => headsOf(this.trees)),
        listPartitions: () => this.listPartitions(),
      },
      source,
      bus,
      reader,
    };
    const requests = {
      list: () => this.read('republications', () => [...this.requests]),
      remove: ({ tree, newestId }: TreeRepublication) =>
        this.read('end of a republication', () => {
          this.requests = this.requests.filter((one) => !one.tree.equals(tree) || one.newestId > newestId);
        }),
    };
    return new TreeOperationsRepublisher(requests, parts, { intervalMs: INTERVAL_MS }, SILENT);
  }

  /** Requests the operations of trees that lack some. */
  private async operate(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.read('missing operations', async () => {
        const requested = new Set(this.requests.map(({ tree }) => keyOf(tree)));
        for (const head of await headsOf(this.trees)) {
          if (hasMissingOperations(head) && !requested.has(keyOf(head.info.tree))) this.request(head.info.tree);
        }
      });
      await sleep(INTERVAL_MS, signal).catch(() => undefined);
    }
  }

  private request(tree: Pubkey): void {
    this.requests.push({ tree, fromSlot: this.fromSlot, newestId: ++this.newestId });
  }

  private listPartitions() {
    return this.read('partitions of trees', async () => {
      const { block, blocks } = await this.trees.claimPartition(0, 1);
      return new Map([[0, { slot: block?.slot ?? null, blocks: [...blocks] }]]);
    });
  }

  private read<Result>(name: string, read: () => Result | Promise<Result>): Promise<Result> {
    return this.scheduler.operation('tables', name, read);
  }
}
