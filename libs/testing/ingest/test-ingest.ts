import { type Bus, type Consumer, InMemoryBus } from '@fresnel/adapters/bus';
import { type BlockSource, type ChainTip, LinkedAbort } from '@fresnel/adapters/chain';
import { type SlotEventsMessage, type Topic, type TreeUpdatesMessage } from '@fresnel/contracts/messages';
import { type BlockRef } from '@fresnel/domain/chain';
import { type Block, LIVE_PROGRAMS, TransactionParser } from '@fresnel/domain/events';
import { type Slot, toSlot } from '@fresnel/domain/primitives';
import { type SlotEvents } from '@fresnel/domain/state';
import {
  createFollowMetrics,
  createReadMetrics,
  type FollowOptions,
  FollowService,
  IndexRepairer,
  NOTHING_PUBLISHED,
  Progress,
  RepairService,
  type ResumeState,
  SlotReader,
  type StoredBlocks,
  TreeRegistry,
} from '@fresnel/features/ingest';
import { generatedTrees } from '@fresnel/ledger-generator';
import { Registry } from '@fresnel/platform';
import { captureLog, type LogLine } from '@fresnel/testing/generic';
import { JoinedIngest } from './joined-ingest';

/** Rejects when the signal aborts. */
export function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, fail) => {
    const stop = () => {
      fail(new Error('stopped'));
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop);
  });
}

/** A source that yields the given blocks and then calls `end`. */
export class PlayedBlocks implements BlockSource {
  tip: ChainTip | null = null;
  /** The blocks after which readers resumed. */
  readonly resumedAfter: (BlockRef | null)[] = [];

  constructor(
    private readonly played: readonly Block[],
    private readonly end: (signal: AbortSignal) => Promise<void> = () => Promise.resolve(),
  ) {}

  identify(signal: AbortSignal): Promise<string> {
    signal.throwIfAborted();
    return Promise.resolve('a chain');
  }

  async *blocks(after: BlockRef | null, signal: AbortSignal): AsyncIterable<Block> {
    this.resumedAfter.push(after);
    yield* this.played.filter(({ slot }) => slot > (after?.slot ?? -1));
    await this.end(signal);
  }

  async *blocksFrom(slot: Slot): AsyncIterable<Block> {
    yield* this.played.filter((block) => block.slot >= slot);
    await Promise.resolve();
  }

  readFinalized(): Promise<never> {
    return Promise.reject(new Error('unexpected question about the finalized chain'));
  }

  findBlock(wanted: Slot): Promise<Block | null> {
    return Promise.resolve(this.played.find(({ slot }) => slot === wanted) ?? null);
  }

  findTip(): Promise<Slot> {
    return Promise.resolve(this.tip?.slot ?? toSlot(Math.max(0, ...this.played.map(({ slot }) => slot))));
  }
}

type AnyMessage = SlotEventsMessage | TreeUpdatesMessage;

/** A bus that records all published messages in one order. */
export class RecordingBus implements Bus {
  readonly published: AnyMessage[] = [];
  /** The published messages by topic name. */
  readonly topics = new Map<string, AnyMessage[]>();
  /** The calls of `waitUntilApplied`, each with the messages published before it. */
  readonly waits: { topic: string; group: string; published: AnyMessage[] }[] = [];
  /** Resolves when the consumers have applied all messages. */
  applied: () => Promise<void> = () => Promise.resolve();
  private readonly bus = new InMemoryBus({ capacity: 10_000 });

  async publish<Message>(topic: Topic<Message>, messages: readonly Message[], signal: AbortSignal): Promise<void> {
    for (const message of messages as readonly AnyMessage[]) {
      this.published.push(message);
      this.topics.set(topic.name, [...this.inTopic(topic), message]);
    }
    await this.bus.publish(topic, messages, signal);
  }

  consume<Message>(consumer: Consumer<Message>, signal: AbortSignal): Promise<void> {
    return this.bus.consume(consumer, signal);
  }

  async waitUntilApplied<Message>(topic: Topic<Message>, group: string, signal: AbortSignal): Promise<void> {
    this.waits.push({ topic: topic.name, group, published: [...this.published] });
    const end = new LinkedAbort(signal);
    const stopped = rejectOnAbort(end.signal);
    stopped.catch(() => undefined);
    await Promise.race([this.applied(), stopped]).finally(() => {
      end.abort();
    });
  }

  findLag<Message>(topic: Topic<Message>, group: string): Promise<number> {
    return this.bus.findLag(topic, group);
  }

  /** Messages of one topic, in order. */
  inTopic({ name }: Pick<Topic<unknown>, 'name'>): AnyMessage[] {
    return this.topics.get(name) ?? [];
  }

  /** Messages of one kind, in order. */
  ofKind<Kind extends AnyMessage['kind']>(kind: Kind): Extract<AnyMessage, { kind: Kind }>[] {
    return this.published.filter((message): message is Extract<AnyMessage, { kind: Kind }> => message.kind === kind);
  }

  get slots(): SlotEvents[] {
    return this.ofKind('slot').map(({ events }) => events);
  }
}

export interface TestIngestParts {
  source: BlockSource;
  bus: Bus;
  find: (chain: string) => Promise<ResumeState>;
  trees: TreeRegistry;
  progress: Progress;
  registry: Registry;
  options: Partial<FollowOptions>;
  /** Null: the index is not repaired. */
  stored: StoredBlocks | null;
  repairIntervalMs: number;
  /** Receives the log lines. */
  lines: LogLine[];
}

const TEST_OPTIONS: FollowOptions = {
  preloadedTrees: [],
  tipIntervalMs: 60_000,
  forkBackoff: { firstMs: 1, longestMs: 16 },
  backpressure: { maxLag: null, intervalMs: 0 },
  pauseSlot: null,
};

/** An ingest with the given parts. By default it starts a new index with the generated trees. */
export function createTestIngest(
  parts: Partial<TestIngestParts> & Pick<TestIngestParts, 'source' | 'bus'>,
): JoinedIngest {
  const { logger } = captureLog(parts.lines);
  const {
    source,
    bus,
    find = () => Promise.resolve(NOTHING_PUBLISHED),
    trees = new TreeRegistry(generatedTrees(), null),
    progress = new Progress({ terminal: null, intervalMs: 1_000 }, logger),
    registry = new Registry(),
    options,
    stored = null,
    repairIntervalMs = 1,
  } = parts;
  const reader = new SlotReader(trees, new TransactionParser(LIVE_PROGRAMS), createReadMetrics(registry));
  const metrics = createFollowMetrics(registry);
  const follow = new FollowService(
    { source, bus, resumePoint: { find }, reader, progress, logger, metrics },
    { ...TEST_OPTIONS, ...options },
  );
  const repairOf = (blocks: StoredBlocks) => ({
    name: 'The repair of the index',
    loop: new IndexRepairer({ stored: blocks, source, bus, reader, follow }, repairIntervalMs, logger),
  });
  return new JoinedIngest(follow, new RepairService(follow, stored ? [repairOf(stored)] : []));
}
