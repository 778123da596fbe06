import { type GenerationFinder, joinGenerations } from '@fresnel/adapters/bus';
import { type InMemoryTreeStore } from '@fresnel/adapters/tree-store';
import { FIRST_GENERATION, SLOT_EVENTS, TREE_UPDATES } from '@fresnel/contracts/messages';
import { blockKey, type BlockLink, type BlockRef, blockRefOf, parentOf } from '@fresnel/domain/chain';
import { readStoredState, type ResumePoint, type ResumeState } from '@fresnel/features/ingest';
import { type ModelTables } from './model-tables';
import { type Fault, type Scheduler } from './scheduler';
import { type SimulatedBroker } from './simulated-broker';
import { type SimulatedChain } from './simulated-chain';
import { type ResumeDatabase, SimulatedResumePoint } from './simulated-ingest';
import { type SimulatedProcesses } from './simulated-processes';

/**
 * An operator who stops all services, runs `migrate reset-positions`, and starts them again. What an ingest decides by when it
 * resumes is read from modelled tables and trees in memory.
 */
export class SimulatedReset {
  /** What an ingest has decided wrongly; null: nothing. */
  failure: string | null = null;
  private generation = FIRST_GENERATION;
  private readonly links: ReadonlyMap<string, BlockLink>;

  constructor(
    private readonly scheduler: Scheduler,
    private readonly broker: SimulatedBroker,
    private readonly tables: ModelTables,
    private readonly trees: InMemoryTreeStore,
    { parsed, orphaned }: SimulatedChain,
  ) {
    const blocks = [...parsed, ...orphaned.flatMap((branch) => branch.parsed)];
    this.links = new Map(blocks.map((block) => [blockKey(block), block]));
  }

  /** @param ingests of which one may be frozen meanwhile */
  faultOf(processes: SimulatedProcesses, ingests: readonly string[], probability: number): Fault {
    const { scheduler } = this;
    const isIngest = (name: string) => ingests.includes(name);
    const happen = async () => {
      // The operator takes a frozen ingest for one that has ended.
      if (scheduler.pickForFault([true, false])) {
        scheduler.actors.set(processes.actorOf(scheduler.pickForFault(ingests)), 'frozen');
      }
      await processes.replaceAll(isIngest, () => this.reset());
      return `generation ${this.generation} of the logs starts`;
    };
    return { name: 'reset', probability, happen };
  }

  /** What consumers and producers ask for. */
  readonly findGeneration = (): Promise<number> => this.read('generation', () => this.generation);

  /** What an ingest asks for: it publishes for the generation that it resumes from. */
  joinGeneration(): GenerationFinder {
    const find = () =>
      this.read('generations', () => new Map([SLOT_EVENTS, TREE_UPDATES].map(({ name }) => [name, this.generation])));
    return joinGenerations(find);
  }

  /** Resumes an ingest. No block before the one after which it resumes may be lost. */
  resumePointOf(actor: string, findGeneration: GenerationFinder): ResumePoint {
    const database: ResumeDatabase = {
      findGeneration,
      readStored: () => this.readStored(),
      findNewestIndexed: () => this.read('newest indexed block', () => this.tables.tip ?? undefined),
    };
    const point = new SimulatedResumePoint(this.scheduler, this.broker, database);
    const find = async () => {
      const { generation } = this;
      const state = await point.find();
      const last = state.published.at(-1);
      const lost = last && generation === this.generation ? this.findLost(last) : null;
      if (last && lost) {
        this.failure ??= `${actor} resumes after ${last.slot}, but ${lost.slot} is in no log and not stored`;
      }
      return state;
    };
    return { find };
  }

  private readStored(): Promise<ResumeState> {
    return this.read('stored state', async () => {
      const { block, blocks } = await this.trees.claimPartition(0, 1);
      return readStoredState(this.tables, [{ slot: block?.slot ?? null, blocks }]);
    });
  }

  private async reset(): Promise<void> {
    for (const { name } of [SLOT_EVENTS, TREE_UPDATES]) this.broker.deleteRecords(name);
    this.tables.resetPositions(this.broker.endsOf(SLOT_EVENTS.name));
    const trees = await this.trees.claimPartition(0, 1);
    const [end] = this.broker.endsOf(TREE_UPDATES.name);
    if (trees.offset !== end) await trees.commit({ trees: [], block: null, to: end });
    this.generation++;
  }

  /** The newest ancestor of a block that tables have not indexed, and that is neither stored nor published; null: none. */
  private findLost(last: BlockRef): BlockRef | null {
    const { blocks, orphaned } = this.tables;
    const records = this.broker.recordsOf(SLOT_EVENTS.name, this.generation).flat();
    const published = new Set(
      records.flatMap(({ message }) => {
        const { kind, events } = message as { kind: string; events?: BlockRef };
        return kind === 'slot' && events ? [blockKey(events)] : [];
      }),
    );
    for (let block = this.links.get(blockKey(last)); block; block = this.links.get(blockKey(parentOf(block)))) {
      if (this.tables.isIndexed(block)) return null;
      const key = blockKey(block);
      if (!published.has(key) && !blocks.has(key) && !orphaned.has(key)) return blockRefOf(block);
    }
    return null;
  }

  private read<Result>(name: string, read: () => Result | Promise<Result>): Promise<Result> {
    return this.scheduler.operation('tables', name, read);
  }
}
