import { type Bus, type Consumer, InMemoryBus } from '@fresnel/adapters/bus';
import { type BlockSource, type ChainTip } from '@fresnel/adapters/chain';
import { type SlotEventsMessage, type Topic, type TreeUpdatesMessage } from '@fresnel/contracts/messages';
import { type BlockRef } from '@fresnel/domain/chain';
import { type Block, LIVE_PROGRAMS, TransactionParser } from '@fresnel/domain/events';
import { type SlotEvents } from '@fresnel/domain/state';
import {
  createIngestMetrics,
  type IngestOptions,
  IngestService,
  NOTHING_PUBLISHED,
  Progress,
  type ResumeState,
  TreeRegistry,
} from '@fresnel/features/ingest';
import { generatedTrees } from '@fresnel/ledger-generator';
import { Registry } from '@fresnel/platform';
import { captureLog, type LogLine } from '@fresnel/testing/generic';

/** Fails when the signal says stop, and never settles before. */
export function untilStopped(signal: AbortSignal): Promise<never> {
  return new Promise((_, fail) => {
    const stop = () => {
      fail(new Error('stopped'));
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop);
  });
}

/** Plays blocks, then does whatever comes at the end. */
export class PlayedBlocks implements BlockSource {
  tip: ChainTip | null = null;
  /** The blocks that readers wanted to go on from. */
  readonly begunAfter: (BlockRef | null)[] = [];

  constructor(
    private readonly played: readonly Block[],
    private readonly end: (signal: AbortSignal) => Promise<void> = () => Promise.resolve(),
  ) {}

  identify(signal: AbortSignal): Promise<string> {
    signal.throwIfAborted();
    return Promise.resolve('a chain');
  }

  async *blocks(after: BlockRef | null, signal: AbortSignal): AsyncIterable<Block> {
    this.begunAfter.push(after);
    yield* this.played.filter(({ slot }) => slot > (after?.slot ?? -1));
    await this.end(signal);
  }

  findForkPoint(): Promise<never> {
    return Promise.reject(new Error('nobody should look for a fork here'));
  }

  has(): Promise<boolean> {
    return Promise.resolve(true);
  }
}

type AnyMessage = SlotEventsMessage | TreeUpdatesMessage;

/** A bus that also keeps what is published, in one order for all topics. */
export class RecordingBus implements Bus {
  readonly published: AnyMessage[] = [];
  /** The same, by the name of the topic. */
  readonly topics = new Map<string, AnyMessage[]>();
  /** Who was waited for, each with what was published before. */
  readonly waits: { topic: string; group: string; published: AnyMessage[] }[] = [];
  /** Says when consumers have applied what they are waited for. */
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
    await Promise.race([this.applied(), untilStopped(signal)]);
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
  options: Partial<IngestOptions>;
  /** What it logs. */
  lines: LogLine[];
}

/** An ingest from the beginning of a chain that knows the generated trees, where nothing else is said. */
export function createTestIngest(
  parts: Partial<TestIngestParts> & Pick<TestIngestParts, 'source' | 'bus'>,
): IngestService {
  const { logger } = captureLog(parts.lines);
  const {
    source,
    bus,
    find = () => Promise.resolve(NOTHING_PUBLISHED),
    trees = new TreeRegistry(generatedTrees(), null),
    progress = new Progress({ terminal: null, intervalMs: 1_000 }, logger, () => 0),
    registry = new Registry(),
    options,
  } = parts;
  return new IngestService(
    source,
    bus,
    { find },
    trees,
    new TransactionParser(LIVE_PROGRAMS),
    progress,
    { preloadedTrees: [], tipIntervalMs: 60_000, forkRetryDelayMs: 1, ...options },
    logger,
    createIngestMetrics(registry),
  );
}
