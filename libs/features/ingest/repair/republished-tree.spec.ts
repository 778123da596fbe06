import { MissingHistoryError } from '@fresnel/adapters/chain';
import { type AppliedPartition, InMemoryTreeStore, type TreeRepublication } from '@fresnel/adapters/tree-store';
import { type TreeUpdatesMessage } from '@fresnel/contracts/messages';
import { blockLinkOf } from '@fresnel/domain/chain';
import { LIVE_PROGRAMS, JsonCursor, parseBlock, TransactionParser } from '@fresnel/domain/events';
import { type Hash, type Pubkey, toSlot } from '@fresnel/domain/primitives';
import { changesTrees, foldTreeChanges } from '@fresnel/domain/state';
import { hasMissingOperations } from '@fresnel/domain/trees';
import { generatedTrees, generateLedger } from '@fresnel/ledger-generator';
import { Registry } from '@fresnel/platform';
import { captureLog, eventually } from '@fresnel/testing/generic';
import { PlayedBlocks } from '@fresnel/testing/ingest';
import { readGeneratedSlots } from '@fresnel/testing/ledger';
import { TreeRecords } from '@fresnel/testing/messages';
import { TestProver } from '@fresnel/testing/prover';
import { headsOf, rememberedPoseidon } from '@fresnel/testing/trees';
import { createReadMetrics } from '../read/read.metrics';
import { RepublishedTree } from './republished-tree';
import { SlotReader } from '../read/slot.reader';
import { TreeOperationsRepublisher } from './tree-operations.republisher';
import { TreeRegistry } from '../read/tree-registry';

const WEIGHTS = { createAddressedAccounts: 20, insertAddresses: 30, appendAddresses: 30 };
const LEDGER = [...generateLedger({ seed: 7, slots: 120, transactionsPerSlot: 1, weights: WEIGHTS })];
const BLOCKS = LEDGER.map(({ slot, json }) => parseBlock(new JsonCursor(json), toSlot(slot)));
const SLOTS = readGeneratedSlots(LEDGER);
const [{ tree: V1 }] = generatedTrees().filter(({ type }) => type === 'addressV1');
const [{ tree: V2 }] = generatedTrees().filter(({ type }) => type === 'addressV2');
const changesTree = (at: number, tree: Pubkey) =>
  foldTreeChanges(SLOTS[at]).some((update) => update.tree.tree.equals(tree) && update.changes.length > 0);

const RECORDS = new TreeRecords();

/** The records that ingest publishes for a block; those of a dead letter lack the changes. */
function recordsOf(at: number, isDeadLetter = false): TreeUpdatesMessage[] {
  const updates = isDeadLetter ? [] : foldTreeChanges(SLOTS[at]);
  return RECORDS.of(SLOTS[at], updates, changesTrees(SLOTS[at]));
}

/** As the journal has them. */
async function listPartitions(store: InMemoryTreeStore): Promise<Map<number, AppliedPartition>> {
  const { block, blocks } = await store.claimPartition(0, 1);
  return new Map([[0, { slot: block?.slot ?? null, blocks: [...blocks] }]]);
}

describe('the operations of a tree that are published again', () => {
  let store: InMemoryTreeStore;
  let prover: TestProver;
  let source: PlayedBlocks;
  let published: TreeUpdatesMessage[];
  const { signal } = new AbortController();
  beforeEach(async () => {
    store = await InMemoryTreeStore.open(rememberedPoseidon, null);
    prover = new TestProver(store, rememberedPoseidon);
    source = new PlayedBlocks(BLOCKS);
    published = [];
  });
  afterEach(() => prover.end());

  /** @param follow called before each publication, like an ingest that publishes meanwhile */
  function parts(follow: () => Promise<void> = () => Promise.resolve()) {
    const metrics = createReadMetrics(new Registry());
    return {
      trees: { listHeads: () => headsOf(store), listPartitions: () => listPartitions(store) },
      source,
      bus: {
        publish: async (_: unknown, messages: readonly unknown[]) => {
          await follow();
          published.push(...(messages as TreeUpdatesMessage[]));
          await prover.apply(messages as TreeUpdatesMessage[]);
        },
        waitUntilApplied: () => Promise.resolve(),
      },
      reader: new SlotReader(new TreeRegistry(generatedTrees(), null), new TransactionParser(LIVE_PROGRAMS), metrics),
    };
  }

  const request = (tree: Pubkey, at: number): TreeRepublication => ({ tree, fromSlot: SLOTS[at].slot, newestId: 1 });
  const applyBlocks = async (from: number, to: number, deadLetters: readonly number[] = []) => {
    for (let at = from; at < to; at++) await prover.apply(recordsOf(at, deadLetters.includes(at)));
  };
  const headOf = async (tree: Pubkey) => {
    const { head } = await store.openTree(tree);
    if (!head) throw new Error('the tree is not stored');
    return head;
  };

  async function expectedRoot(tree: Pubkey, blocks: number) {
    const reference = await InMemoryTreeStore.open(rememberedPoseidon, null);
    const whole = new TestProver(reference, rememberedPoseidon);
    await whole.apply(SLOTS.slice(0, blocks).flatMap((_, at) => recordsOf(at)));
    await whole.end();
    return (await reference.openTree(tree)).head?.root;
  }

  /** The first block after the 20th that changes a tree. */
  const letterOf = (tree: Pubkey) => SLOTS.findIndex((_, at) => at > 20 && changesTree(at, tree));

  it.each([
    ['V1', V1],
    ['V2', V2],
  ])('are those of the dead letter and all later ones: %s', async (_, tree) => {
    const letter = letterOf(tree);
    await applyBlocks(0, 100, [letter]);
    expect(hasMissingOperations(await headOf(tree))).toBe(true);
    const republished = new RepublishedTree(request(tree, letter), parts());
    const states = [await republished.publishNext(signal)];
    while (states[states.length - 1] === 'publishing') states.push(await republished.publishNext(signal));
    expect(states).toEqual([...states.slice(0, -1).map(() => 'publishing'), 'complete']);
    expect(hasMissingOperations(await headOf(tree))).toBe(false);
    expect((await headOf(tree)).root).toEqual(await expectedRoot(tree, 100));
    expect(published.every((message) => message.kind === 'update' && message.update.tree.tree.equals(tree))).toBe(true);
  });

  it('are not those of later slots if none was published after the dead letter', async () => {
    const letter = SLOTS.findLastIndex((_, at) => at < 100 && changesTree(at, V1));
    await applyBlocks(0, 100, [letter]);
    expect(await new RepublishedTree(request(V1, letter), parts()).publishNext(signal)).toBe('complete');
    expect((await headOf(V1)).root).toEqual(await expectedRoot(V1, 100));
  });

  it('include those that ingest publishes meanwhile', async () => {
    const letter = letterOf(V1);
    await applyBlocks(0, 60, [letter]);
    let next = 60;
    // Ingest is one or two blocks ahead of each publication, until it stops.
    const follow = async () => {
      const to = Math.min(next + 2, 120);
      await applyBlocks(next, to);
      next = to;
    };
    const republished = new RepublishedTree(request(V1, letter), parts(follow));
    let state = await republished.publishNext(signal);
    while (state !== 'complete') {
      if (state === 'waiting') await follow();
      state = await republished.publishNext(signal);
    }
    expect((await headOf(V1)).root).toEqual(await expectedRoot(V1, next));
  });

  it('are never ahead of the provers, and wait for the first block', async () => {
    const republished = new RepublishedTree(request(V1, 0), parts());
    expect(await republished.publishNext(signal)).toBe('waiting');
    await applyBlocks(0, 30, [letterOf(V1)]);
    while ((await republished.publishNext(signal)) === 'publishing');
    expect(republished.nextSlot).toBeLessThanOrEqual(SLOTS[29].slot + 1);
    expect(published.every((message) => message.kind === 'update' && message.update.slot <= SLOTS[29].slot)).toBe(true);
  });

  it('stall if the requested slot is too late, also on a chain that stands still', async () => {
    const letter = letterOf(V1);
    await applyBlocks(0, 40, [letter]);
    const republished = new RepublishedTree(request(V1, 39), parts());
    expect(await republished.publishNext(signal)).toBe('stalled');
    expect(hasMissingOperations(await headOf(V1))).toBe(true);
  });

  it('wait while the provers are at different blocks, because the tree may have seen what is not published yet', async () => {
    await applyBlocks(0, 40, [letterOf(V1)]);
    const { trees, ...others } = parts();
    let behind = 38;
    const listPartitions = async () => {
      const [[, { slot, blocks }]] = await trees.listPartitions();
      const known = blocks.filter((block) => block.slot <= SLOTS[behind].slot);
      return new Map([
        [0, { slot, blocks }],
        [1, { slot: SLOTS[behind].slot, blocks: known }],
      ]);
    };
    const republished = new RepublishedTree(request(V1, 37), { ...others, trees: { ...trees, listPartitions } });
    expect(await republished.publishNext(signal)).toBe('waiting');
    expect(await republished.publishNext(signal)).toBe('waiting');
    behind = 39;
    expect(await republished.publishNext(signal)).toBe('stalled');
  });

  it('continue at the oldest block that a fork may have replaced', async () => {
    await applyBlocks(0, 50, [letterOf(V1)]);
    const republished = new RepublishedTree(request(V1, 49), parts());
    await republished.publishNext(signal);
    expect(republished.nextSlot).toBe(SLOTS[49].slot + 1);
    const { slot, blockhash } = SLOTS[49];
    await prover.apply([{ kind: 'slot-reverted', slot, blockhash, forkPoint: blockLinkOf(SLOTS[48]) }]);
    published = [];
    // The node still has the orphaned block: nothing of it is published.
    await applyBlocks(50, 51);
    expect(await republished.publishNext(signal)).toBe('waiting');
    expect(published).toEqual([]);
  });

  it('wait while the node has another block than the provers', async () => {
    const letter = letterOf(V1);
    await applyBlocks(0, 50, [letter]);
    const read = source.blocksFrom.bind(source);
    const blockhash = Buffer.alloc(32, 9) as Hash;
    const blocksFrom = jest.spyOn(source, 'blocksFrom').mockImplementation(async function* (slot) {
      for await (const block of read(slot)) yield { ...block, blockhash };
    });
    const republished = new RepublishedTree(request(V1, letter), parts());
    expect([await republished.publishNext(signal), published]).toEqual(['waiting', []]);
    blocksFrom.mockRestore();
    let state = await republished.publishNext(signal);
    while (state === 'publishing') state = await republished.publishNext(signal);
    expect(state).toBe('complete');
  });

  it('are served from an earlier slot that is requested after they stalled', async () => {
    const letter = letterOf(V1);
    await applyBlocks(0, 40, [letter]);
    let requested = [request(V1, 39)];
    const requests = {
      list: () => Promise.resolve(requested),
      remove: (one: TreeRepublication) => Promise.resolve(void (requested = requested.filter((each) => each !== one))),
    };
    const { logger, lines } = captureLog();
    const stop = new AbortController();
    const running = new TreeOperationsRepublisher(requests, parts(), { intervalMs: 1 }, logger).run(stop.signal);
    await eventually('nothing is requested', () => requested.length === 0);
    expect(lines.at(-1)?.msg).toBe('operations of a tree are missing before the slot from which they are published');
    requested = [{ ...request(V1, letter), newestId: 2 }];
    await eventually('nothing is requested', () => requested.length === 0);
    stop.abort();
    await running;
    expect(hasMissingOperations(await headOf(V1))).toBe(false);
  });

  it('are served while an earlier request waits for a slot that the chain does not have yet', async () => {
    const letter = letterOf(V1);
    await applyBlocks(0, 50, [letter]);
    let requested = [request(V2, 100), request(V1, letter)];
    const requests = {
      list: () => Promise.resolve(requested),
      remove: (one: TreeRepublication) => Promise.resolve(void (requested = requested.filter((each) => each !== one))),
    };
    const { logger, lines } = captureLog();
    const stop = new AbortController();
    const running = new TreeOperationsRepublisher(requests, parts(), { intervalMs: 1 }, logger).run(stop.signal);
    await eventually('the later request is served', () => requested.length === 1);
    expect(requested[0].tree).toEqual(V2);
    expect(hasMissingOperations(await headOf(V1))).toBe(false);
    stop.abort();
    await running;
    const begun = lines.filter(({ msg }) => msg === 'publishing the operations of a tree again');
    expect(begun).toHaveLength(2);
  });

  it('are published to the end, also if the same tree is requested again and again meanwhile', async () => {
    const letter = letterOf(V1);
    await applyBlocks(0, 110, [letter]);
    let newestId = 0;
    const removed: number[] = [];
    const requests = {
      list: () => Promise.resolve([{ ...request(V1, letter), newestId: ++newestId }]),
      remove: (one: TreeRepublication) => Promise.resolve(void removed.push(one.newestId)),
    };
    const stop = new AbortController();
    const republisher = new TreeOperationsRepublisher(requests, parts(), { intervalMs: 1 }, captureLog().logger);
    const running = republisher.run(stop.signal);
    await eventually('two requests are served', () => removed.length >= 2);
    stop.abort();
    await running;
    expect(removed[0]).toBe(1);
    expect(removed[1]).toBeGreaterThan(2);
  });

  it('do not end ingest if the node lacks a block, and are tried again after a restart', async () => {
    const letter = letterOf(V1);
    await applyBlocks(0, 50, [letter]);
    const blocksFrom = jest.spyOn(source, 'blocksFrom').mockImplementation(() => {
      throw new MissingHistoryError('cleaned up');
    });
    const removed: TreeRepublication[] = [];
    const requests = {
      list: () => Promise.resolve([request(V1, letter)].filter(() => removed.length === 0)),
      remove: (one: TreeRepublication) => Promise.resolve(void removed.push(one)),
    };
    for (const hasBlocks of [false, true]) {
      if (hasBlocks) blocksFrom.mockRestore();
      const { logger, lines } = captureLog();
      const stop = new AbortController();
      const republisher = new TreeOperationsRepublisher(requests, parts(), { intervalMs: 1 }, logger);
      const running = republisher.run(stop.signal);
      const end = hasBlocks ? 'operations of a tree published again' : /cannot be published again until/;
      await eventually('the outcome is logged', () => lines.some(({ msg }) => msg.match(end) !== null));
      stop.abort();
      await running;
      expect(removed).toHaveLength(hasBlocks ? 1 : 0);
      expect(republisher.hasFailed(request(V1, letter))).toBe(!hasBlocks);
    }
    expect(hasMissingOperations(await headOf(V1))).toBe(false);
  });
});
