import { type Bus } from '@fresnel/adapters/bus';
import { BlockReader, RpcBlockSource, SolanaRpc } from '@fresnel/adapters/chain';
import { SLOT_EVENTS, type Topic, TREE_UPDATES } from '@fresnel/contracts/messages';
import { toSlot } from '@fresnel/domain/primitives';
import {
  createIngestMetrics,
  IngestService,
  Progress,
  readResumeState,
  type ResumePoint,
  type ResumeSlotMessage,
  type ResumeTreeMessage,
  selectForResume,
  selectTreeForResume,
  type StoredBlocks,
  TreeRegistry,
  withoutAdopted,
} from '@fresnel/features/ingest';
import { generatedTrees } from '@fresnel/ledger-generator';
import { createLogger, Registry } from '@fresnel/platform';
import { RememberingParser } from './remembering-parser';
import { type Scheduler } from './scheduler';
import { type SimulatedBroker } from './simulated-broker';
import { type SimulatedChain } from './simulated-chain';

const TREES = generatedTrees();
const SILENT = createLogger('silent');

/** What an ingest of a world is connected to. */
export interface IngestConnections {
  chain: SimulatedChain;
  /** The URLs of its nodes. */
  urls: readonly string[];
  bus: Bus;
  resumePoint: ResumePoint;
  stored: StoredBlocks;
}

/** An ingest as the services have it, on nodes and a broker that are simulated. */
export function createSimulatedIngest({ chain, urls, bus, resumePoint, stored }: IngestConnections): IngestService {
  const rpc = new SolanaRpc({ urls, timeoutMs: 30_000, backoff: { firstMs: 100, longestMs: 2_000 } }, SILENT);
  const reader = new BlockReader({ accountCompression: null, threads: 1 });
  const startSlot = toSlot(chain.canonical[0].slot);
  const source = new RpcBlockSource(rpc, { startSlot, concurrency: 3, pollIntervalMs: 400, reader }, SILENT);
  return new IngestService(
    source,
    bus,
    resumePoint,
    new TreeRegistry(TREES, null),
    new RememberingParser(),
    new Progress({ terminal: null, intervalMs: 1_000 }, SILENT),
    {
      preloadedTrees: [],
      tipIntervalMs: 2_000,
      forkRetryDelayMs: 400,
      repairIntervalMs: 2_000,
      backpressure: { maxLag: null, intervalMs: 0 },
    },
    SILENT,
    createIngestMetrics(new Registry()),
    stored,
  );
}

/** Reads like `KafkaResumePoint`, one topic after the other. */
export class SimulatedResumePoint implements ResumePoint {
  constructor(
    private readonly scheduler: Scheduler,
    private readonly broker: SimulatedBroker,
  ) {}

  async find() {
    const slots = await this.readTopic(SLOT_EVENTS, selectForResume);
    const trees = await this.readTopic(TREE_UPDATES, selectTreeForResume);
    return readResumeState(slots, trees);
  }

  private readTopic<Message, Selected extends ResumeSlotMessage | ResumeTreeMessage>(
    { name }: Topic<Message>,
    select: (message: Message) => Selected,
  ): Promise<Selected[]> {
    const { broker } = this;
    return this.scheduler.operation('broker', `read ${name}`, () =>
      broker
        .endsOf(name)
        .flatMap((_, partition) =>
          withoutAdopted(broker.recordsOf(name, partition).map(({ message }) => select(message as Message))),
        ),
    );
  }
}
