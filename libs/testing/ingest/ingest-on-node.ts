import { type SlotEventsMessage, type Topic, type TreeUpdatesMessage } from '@fresnel/contracts/messages';
import { type BlockRef } from '@fresnel/domain/chain';
import { toSlot } from '@fresnel/domain/primitives';
import { Registry } from '@fresnel/platform';
import { createTestSource } from '@fresnel/testing/block-sources';
import { blockhashAt, FakeNode } from '@fresnel/testing/chain';
import { type LogLine, postJson, until } from '@fresnel/testing/generic';
import { createTestIngest, RecordingBus, type TestIngestParts } from './test-ingest';

/** More than ingest sends between two published blocks. */
const REQUESTS = 5;

type AnyMessage = SlotEventsMessage | TreeUpdatesMessage;

/** Ingests that follow a fake node from slot 1000 on, and the records that they publish. */
export class IngestOnNode {
  readonly bus = new RecordingBus();
  readonly stop = new AbortController();
  /** Log lines of the last started ingest. */
  lines: LogLine[] = [];
  private registry = new Registry();
  private readonly running: Promise<void>[] = [];

  private constructor(readonly node: FakeNode) {}

  static async open(): Promise<IngestOnNode> {
    return new IngestOnNode(await FakeNode.start());
  }

  /** Starts an ingest. @returns settles when it ends; need not be awaited */
  start(parts: Partial<TestIngestParts> = {}, signal = this.stop.signal): Promise<void> {
    const followed = createTestSource(this.node, { startSlot: toSlot(1000) });
    this.lines = followed.lines;
    this.registry = new Registry();
    const { bus, registry } = this;
    const ended = createTestIngest({ ...followed, bus, registry, ...parts }).run(signal);
    ended.catch(() => undefined);
    this.running.push(ended);
    return ended;
  }

  /** Stops all ingests and the node. */
  async close(): Promise<void> {
    this.stop.abort();
    await Promise.allSettled(this.running);
    await this.node.close();
  }

  /** All published blocks, including duplicates. */
  get blocks(): BlockRef[] {
    return this.bus.slots.map(({ slot, blockhash }) => ({ slot, blockhash }));
  }

  /** The revert messages of a topic. */
  reverts(topic: Pick<Topic<unknown>, 'name'>): AnyMessage[] {
    return this.bus.inTopic(topic).filter(({ kind }) => kind === 'slot-reverted');
  }

  /** The adoption messages of a topic. */
  adoptions(topic: Pick<Topic<unknown>, 'name'>): AnyMessage[] {
    return this.bus.inTopic(topic).filter(({ kind }) => kind === 'slot-adopted');
  }

  /**
   * The blocks that a consumer of the whole topic ends up with. It ignores a reverted block until it is adopted. Of
   * `tree-updates`, these are the blocks up to the last watermark.
   */
  blocksOfConsumers(topic: Pick<Topic<unknown>, 'name'>): BlockRef[] {
    const blocks = new Map<string, BlockRef>();
    const reverted = new Set<string>();
    for (const message of this.bus.inTopic(topic)) {
      for (const { slot, blockhash } of blocksOf(message)) {
        const name = `${slot} ${blockhash.toString('hex')}`;
        if (message.kind === 'slot-adopted') reverted.delete(name);
        else if (message.kind === 'slot-reverted') reverted.add(name);
        else if (!reverted.has(name)) blocks.set(name, { slot, blockhash });
        if (reverted.has(name)) blocks.delete(name);
      }
    }
    return [...blocks.values()].sort((a, b) => a.slot - b.slot);
  }

  async untilPublished(slot: number, branch = 'main'): Promise<void> {
    const blockhash = blockhashAt(slot, branch);
    await this.until(() => this.blocks.some((block) => block.slot === slot && block.blockhash.equals(blockhash)));
  }

  until(condition: () => boolean): Promise<void> {
    return until(condition);
  }

  /** Resolves when some requests to the node were answered: an ingest that waits for nothing has gone on meanwhile. */
  async untilOthersHaveGoneOn(): Promise<void> {
    for (let request = 0; request < REQUESTS; request++) {
      await postJson(this.node.url, { jsonrpc: '2.0', id: request, method: 'getGenesisHash' });
    }
  }

  /** The value of a metric of the last ingest that was started with the default registry. */
  async valueOf(name: string): Promise<number | undefined> {
    return (await this.registry.getSingleMetric(name)?.get())?.values.at(0)?.value;
  }
}

/** The blocks that a message names as published or as reverted. */
function blocksOf(message: AnyMessage): BlockRef[] {
  switch (message.kind) {
    case 'slot':
      return [message.events];
    case 'update':
      return [message.update];
    case 'watermark':
    case 'slot-reverted':
    case 'slot-adopted':
      return [message];
    case 'slot-adopted':
    case 'tip':
      return [];
  }
}
