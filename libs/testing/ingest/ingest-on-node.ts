import { setTimeout as sleep } from 'node:timers/promises';
import { type SlotEventsMessage, type Topic, type TreeUpdatesMessage } from '@fresnel/contracts/messages';
import { type BlockRef } from '@fresnel/domain/chain';
import { toSlot } from '@fresnel/domain/primitives';
import { Registry } from '@fresnel/platform';
import { createTestSource } from '@fresnel/testing/block-sources';
import { blockhashAt, FakeNode } from '@fresnel/testing/chain';
import { type LogLine } from '@fresnel/testing/generic';
import { createTestIngest, RecordingBus, type TestIngestParts } from './test-ingest';

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

  /**
   * The blocks that a consumer of the whole topic ends up with. A reverted block is never re-adopted. Of `tree-updates`,
   * these are the blocks up to the last watermark.
   */
  blocksOfConsumers(topic: Pick<Topic<unknown>, 'name'>): BlockRef[] {
    const blocks = new Map<string, BlockRef>();
    const reverted: string[] = [];
    for (const message of this.bus.inTopic(topic)) {
      for (const { slot, blockhash } of blocksOf(message)) {
        const name = `${slot} ${blockhash.toString('hex')}`;
        if (message.kind === 'slot-reverted') reverted.push(name);
        else blocks.set(name, { slot, blockhash });
      }
    }
    for (const name of reverted) blocks.delete(name);
    return [...blocks.values()].sort((a, b) => a.slot - b.slot);
  }

  async untilPublished(slot: number, branch = 'main'): Promise<void> {
    const blockhash = blockhashAt(slot, branch);
    await this.until(() => this.blocks.some((block) => block.slot === slot && block.blockhash.equals(blockhash)));
  }

  /** Waits until a condition is true, for at most 10 s. */
  async until(condition: () => boolean): Promise<void> {
    const startedAt = Date.now();
    while (!condition()) {
      if (Date.now() - startedAt > 10_000) throw new Error('the condition was not true within 10 s');
      await sleep(2);
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
      return [...message.silent, message];
    case 'slot-reverted':
      return [message];
    case 'tip':
      return [];
  }
}
