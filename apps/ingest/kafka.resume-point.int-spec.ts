import { createTopics, KafkaBus } from '@fresnel/adapters/bus';
import {
  SLOT_EVENTS,
  type SlotEventsMessage,
  TREE_UPDATES,
  type TreeUpdatesMessage,
} from '@fresnel/contracts/messages';
import { toSlot } from '@fresnel/domain/primitives';
import { createLogger } from '@fresnel/platform';
import { blockhashAt, blockLinkAt, range } from '@fresnel/testing/chain';
import { sharedKafka } from '@fresnel/testing/servers';
import { KafkaResumePoint } from './kafka.resume-point';

const PARTITIONS = 3;
const log = createLogger('silent');
const { signal } = new AbortController();

const refOf = (slot: number, branch = 'main') => ({ slot: toSlot(slot), blockhash: blockhashAt(slot, branch) });

const slotAt = (slot: number): SlotEventsMessage => {
  const links = { parentSlot: toSlot(slot - 1), parentBlockhash: blockhashAt(slot - 1) };
  const rest = { blockTime: 0, blockHeight: null, isFirst: false, transactions: [], trees: [], deadLetters: [] };
  return { kind: 'slot', events: { ...refOf(slot), ...links, ...rest } };
};
const watermarkAt = (slot: number): TreeUpdatesMessage => ({ kind: 'watermark', ...blockLinkAt(slot) });
const revertedAt = (slot: number, forkPointSlot: number) => ({
  kind: 'slot-reverted' as const,
  ...refOf(slot),
  forkPoint: refOf(forkPointSlot),
});

describe('KafkaResumePoint', () => {
  let bus: KafkaBus;
  let resumePoint: KafkaResumePoint;
  beforeAll(async () => {
    const kafka = await sharedKafka();
    const layouts = [SLOT_EVENTS, TREE_UPDATES].map((topic) => ({ topic, partitions: PARTITIONS, retentionMs: null }));
    await createTopics(kafka, layouts, { replicationFactor: 1, minInsyncReplicas: 1 }, log);
    bus = new KafkaBus({ config: kafka, log });
    resumePoint = new KafkaResumePoint(kafka, log);
  });
  afterAll(() => bus.close());

  // Each test continues with the records of the tests before it.

  it('finds nothing in empty topics', async () => {
    expect(await resumePoint.find('a chain', new AbortController().signal)).toEqual({
      published: [],
      partiallyPublished: [],
      reverted: [],
    });
  });

  it('finds all blocks of a young index, spread over partitions', async () => {
    for (const slot of range(100, 110)) {
      await bus.publish(TREE_UPDATES, [watermarkAt(slot)], signal);
      await bus.publish(SLOT_EVENTS, [slotAt(slot)], signal);
    }
    const published = range(100, 110).map((slot) => refOf(slot));
    expect(await resumePoint.find('a chain', new AbortController().signal)).toEqual({
      published,
      partiallyPublished: [],
      reverted: [],
    });
  });

  it('finds the last blocks behind any number of tip records', async () => {
    await bus.publish(SLOT_EVENTS, range(111, 200).map(slotAt), signal);
    await bus.publish(TREE_UPDATES, range(111, 200).map(watermarkAt), signal);
    const tips = range(1, 900).map((): SlotEventsMessage => ({ kind: 'tip', slot: toSlot(201), seenAt: new Date(0) }));
    await bus.publish(SLOT_EVENTS, tips, signal);
    const { published } = await resumePoint.find('a chain', new AbortController().signal);
    expect(published).toEqual(range(169, 200).map((slot) => refOf(slot)));
  });

  it('finds a partially published block', async () => {
    await bus.publish(TREE_UPDATES, [watermarkAt(201)], signal);
    const { published, partiallyPublished } = await resumePoint.find('a chain', new AbortController().signal);
    expect(published.at(-1)).toEqual(refOf(200));
    expect(partiallyPublished).toEqual([{ ...refOf(201), parentSlot: toSlot(200) }]);
  });

  it('finds a fork whose reverts reached only the trees in full', async () => {
    const reverts = [revertedAt(201, 198), revertedAt(200, 198), revertedAt(199, 198)];
    await bus.publish(TREE_UPDATES, reverts, signal);
    await bus.publish(SLOT_EVENTS, reverts.slice(0, 2), signal);
    const { published, partiallyPublished, reverted } = await resumePoint.find('a chain', new AbortController().signal);
    expect(published).toEqual(range(167, 198).map((slot) => refOf(slot)));
    expect(partiallyPublished).toEqual([]);
    expect(reverted).toEqual(reverts);
  });
});
