import { type Bus, type GenerationFinder } from '@fresnel/adapters/bus';
import { RpcBlockSource, SolanaRpc } from '@fresnel/adapters/chain';
import { SLOT_EVENTS, type SlotEventsMessage, type Topic, TREE_UPDATES } from '@fresnel/contracts/messages';
import { type BlockLink, blockLinkOf } from '@fresnel/domain/chain';
import { toSlot } from '@fresnel/domain/primitives';
import {
  createFollowMetrics,
  createReadMetrics,
  findResumeState,
  FollowService,
  IndexRepairer,
  Progress,
  readResumeState,
  RepairService,
  type ResumePoint,
  type ResumeSources,
  type ResumeState,
  selectForResume,
  selectTreeForResume,
  SlotReader,
  type StoredBlocks,
  TreeRegistry,
  withoutAdopted,
} from '@fresnel/features/ingest';
import { generatedTrees } from '@fresnel/ledger-generator';
import { createLogger, Registry } from '@fresnel/platform';
import { JoinedIngest } from '@fresnel/testing/ingest';
import { RememberingParser } from './remembering-parser';
import { type Scheduler } from './scheduler';
import { type SimulatedBroker } from './simulated-broker';
import { type SimulatedChain } from './simulated-chain';
import { type SimulatedRepublication } from './simulated-republication';

const TREES = generatedTrees();
const SILENT = createLogger('silent');
const REPAIR_INTERVAL_MS = 2_000;

/** What an ingest of a world is connected to. */
export interface IngestConnections {
  chain: SimulatedChain;
  /** The URLs of its nodes. */
  urls: readonly string[];
  bus: Bus;
  resumePoint: ResumePoint;
  stored: StoredBlocks;
  /** Null: no operations are published again. */
  republication?: SimulatedRepublication | null;
}

/** An ingest as the services have it, on nodes and a broker that are simulated. */
export function createSimulatedIngest(connections: IngestConnections): JoinedIngest {
  const { chain, urls, bus, resumePoint, stored, republication = null } = connections;
  const rpc = new SolanaRpc(
    { urls, timeoutMs: 30_000, backoff: { firstMs: 100, longestMs: 2_000, isRandom: true } },
    SILENT,
  );
  const startSlot = toSlot(chain.canonical[0].slot);
  const reading = { startSlot, concurrency: 3, pollIntervalMs: 400, accountCompression: null };
  const source = new RpcBlockSource(rpc, reading, SILENT);
  const trees = new TreeRegistry(TREES, null);
  const registry = new Registry();
  const parser = republication?.parser ?? new RememberingParser();
  const reader = new SlotReader(trees, parser, createReadMetrics(registry));
  const progress = new Progress({ terminal: null, intervalMs: 1_000 }, SILENT);
  const metrics = createFollowMetrics(registry);
  const follow = new FollowService(
    { source, bus, resumePoint, reader, progress, logger: SILENT, metrics },
    {
      preloadedTrees: [],
      tipIntervalMs: 2_000,
      forkBackoff: { firstMs: 400, longestMs: 6_400 },
      backpressure: { maxLag: null, intervalMs: 0 },
      pauseSlot: null,
    },
  );
  const repairer = new IndexRepairer({ stored, source, bus, reader, follow }, REPAIR_INTERVAL_MS, SILENT);
  const repairs = [
    ...(republication ? [{ name: 'republication', loop: republication.republisherOf(source, bus, trees) }] : []),
    { name: 'index', loop: repairer },
  ];
  return new JoinedIngest(follow, new RepairService(follow, repairs));
}

/** What an ingest that resumes reads in the database. */
export interface ResumeDatabase extends Pick<ResumeSources, 'readStored' | 'findNewestIndexed'> {
  findGeneration: GenerationFinder;
}

/** Reads like `KafkaResumePoint`, one topic after the other. */
export class SimulatedResumePoint implements ResumePoint {
  /** @param database null: the logs have all records */
  constructor(
    private readonly scheduler: Scheduler,
    private readonly broker: SimulatedBroker,
    private readonly database: ResumeDatabase | null = null,
  ) {}

  find(): Promise<ResumeState> {
    const { database } = this;
    if (!database) return this.readTopics();
    const sources: ResumeSources = {
      readTopics: () => this.readTopics(),
      readOldest: () => this.readOldest(),
      readStored: () => database.readStored(),
      findNewestIndexed: () => database.findNewestIndexed(),
    };
    return findResumeState(sources, SILENT);
  }

  private async readTopics(): Promise<ResumeState> {
    const slots = await this.readTopic(SLOT_EVENTS, selectForResume);
    const trees = await this.readTopic(TREE_UPDATES, selectTreeForResume);
    return readResumeState(slots.flatMap(withoutAdopted), trees.flatMap(withoutAdopted));
  }

  private async readOldest(): Promise<BlockLink[]> {
    const select = (message: SlotEventsMessage) =>
      message.kind === 'slot' && !message.isOfRange ? [blockLinkOf(message.events)] : [];
    return (await this.readTopic(SLOT_EVENTS, select)).flat(2);
  }

  /** @returns the selected parts by partition */
  private async readTopic<Message, Selected>(
    { name }: Topic<Message>,
    select: (message: Message) => Selected,
  ): Promise<Selected[][]> {
    const generation = await this.database?.findGeneration(name);
    return this.scheduler.operation('broker', `read ${name}`, () =>
      this.broker
        .recordsOf(name, generation)
        .map((records) => records.map(({ message }) => select(message as Message))),
    );
  }
}
