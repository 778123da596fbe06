import { type TreeUpdatesMessage } from '@fresnel/contracts/messages';
import { LIVE_PROGRAMS, TransactionParser } from '@fresnel/domain/events';
import { foldTreeChanges } from '@fresnel/domain/state';
import { generatedTrees, generateLedger } from '@fresnel/ledger-generator';
import { Registry } from '@fresnel/platform';
import { createTestSource } from '@fresnel/testing/block-sources';
import { BLOCK_NOT_AVAILABLE, FakeNode, LONG_TERM_SLOT_SKIPPED, SLOT_SKIPPED } from '@fresnel/testing/chain';
import { readGeneratedSlots } from '@fresnel/testing/ledger';
import { createReadMetrics } from '../read/read.metrics';
import { RepublishedTree } from './republished-tree';
import { SlotReader } from '../read/slot.reader';
import { TreeRegistry } from '../read/tree-registry';

const LEDGER = [...generateLedger({ seed: 7, slots: 100, transactionsPerSlot: 2 })];
const SLOTS = readGeneratedSlots(LEDGER);
const UPDATES = SLOTS.flatMap(foldTreeChanges).filter(({ changes }) => changes.length > 0);
const [{ tree: TREE }] = generatedTrees()
  .map((tree) => ({ ...tree, updates: UPDATES.filter((update) => update.tree.tree.equals(tree.tree)).length }))
  .sort((a, b) => b.updates - a.updates);
const CHANGED = UPDATES.filter(({ tree }) => tree.tree.equals(TREE)).map(({ slot }) => slot);

describe('a tree whose operations are published again', () => {
  let node: FakeNode;
  beforeEach(async () => {
    node = await FakeNode.start(LEDGER);
  });
  afterEach(() => node.close());

  /** Publishes the operations of the tree as long as the provers have applied further blocks. @returns the slots of all updates */
  async function republish(): Promise<{ slots: number[]; state: string }> {
    const slots: number[] = [];
    const publish = (_: unknown, messages: readonly unknown[]) => {
      for (const message of messages as TreeUpdatesMessage[]) {
        if (message.kind === 'update' && message.update.changes.length > 0) slots.push(message.update.slot);
      }
      return Promise.resolve();
    };
    const blocks = SLOTS.map(({ slot, blockhash }) => ({
      slot,
      blockhash,
      parentSlot: null,
      state: 'admitted' as const,
      changesTrees: true,
    }));
    const republished = new RepublishedTree(
      { tree: TREE, fromSlot: SLOTS[0].slot, newestId: 1 },
      {
        trees: {
          listHeads: () => Promise.resolve([]),
          listPartitions: () => Promise.resolve(new Map([[0, { slot: null, blocks }]])),
        },
        source: createTestSource(node).source,
        bus: { publish, waitUntilApplied: () => Promise.resolve() },
        reader: new SlotReader(
          new TreeRegistry(generatedTrees(), null),
          new TransactionParser(LIVE_PROGRAMS),
          createReadMetrics(new Registry()),
        ),
      },
    );
    const { signal } = new AbortController();
    let state = await republished.publishNext(signal);
    for (let step = 0; step < 20 && state !== 'complete'; step++) state = await republished.publishNext(signal);
    return { slots, state };
  }

  it.each([
    ['skipped once', SLOT_SKIPPED, 1],
    ['skipped a few times', SLOT_SKIPPED, 5],
    ['skipped for long', LONG_TERM_SLOT_SKIPPED, 120],
    ['not available at first', BLOCK_NOT_AVAILABLE, 3],
  ])('lacks none of them if a node calls their slots %s', async (_, code, times) => {
    for (const slot of [CHANGED[0], CHANGED[5], CHANGED[CHANGED.length - 2]]) {
      node.fail({ kind: 'error', code }, { slot, times });
    }
    expect(await republish()).toEqual({ slots: CHANGED, state: 'complete' });
  });

  it('lacks none of them if a node does not list their slots', async () => {
    for (const slot of CHANGED) if (slot !== SLOTS[SLOTS.length - 1].slot) node.unlisted.add(slot);
    expect(await republish()).toEqual({ slots: CHANGED, state: 'complete' });
  });
});
