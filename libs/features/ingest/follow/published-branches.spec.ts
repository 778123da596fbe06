import { InMemoryTreeStore } from '@fresnel/adapters/tree-store';
import { type SlotEventsMessage, type SlotReverted, type TreeUpdatesMessage } from '@fresnel/contracts/messages';
import { blockKey, type BlockLink, blockLinkOf, type BlockRef, blockRefOf } from '@fresnel/domain/chain';
import { type Hash, toSlot } from '@fresnel/domain/primitives';
import { type SlotEvents, type TreeUpdate } from '@fresnel/domain/state';
import { blockhashAt } from '@fresnel/testing/chain';
import { TestProver } from '@fresnel/testing/prover';
import { AddressTreeModel, sha256, testAddress, testAddressTree } from '@fresnel/testing/trees';
import fc from 'fast-check';
import { PublishedBlocks } from './published-blocks';
import { readResumeState, selectForResume, selectTreeForResume } from './read-resume-state';
import { NOTHING_PUBLISHED } from './resume-point';
import { Watermarks } from './watermarks';

/** A block of the simulated chain, and the tree after it. */
interface ChainBlock extends BlockLink {
  update: TreeUpdate | null;
  tree: AddressTreeModel;
}

const FIRST: ChainBlock = {
  slot: toSlot(1_000),
  blockhash: blockhashAt(1_000),
  parentSlot: toSlot(999),
  parentBlockhash: blockhashAt(999),
  update: null,
  tree: new AddressTreeModel(testAddressTree('addressV1'), sha256),
};
let used = 0;

/** The child of a block; it changes the tree or is silent. */
function childOf(parent: ChainBlock, skipped: number, isChange: boolean): ChainBlock {
  const slot = toSlot(parent.slot + 1 + skipped);
  const number = used++;
  const links = { parentSlot: parent.slot, parentBlockhash: parent.blockhash };
  const block = { slot, blockhash: blockhashAt(slot, `block ${number}`), ...links };
  const tree = parent.tree.fork();
  const update = isChange ? { ...tree.updateAt(slot, tree.insert(testAddress(number))), ...block } : null;
  return { ...block, update, tree };
}

/** What the two topics receive from an ingest. */
class SimulatedIngest {
  readonly trees: TreeUpdatesMessage[] = [];
  private readonly slots: SlotEventsMessage[] = [];
  private published = new PublishedBlocks(NOTHING_PUBLISHED);
  private watermarks = new Watermarks();

  publish(block: ChainBlock): this {
    const { update } = block;
    const link = blockLinkOf(block);
    const updates = update ? [update] : [];
    const previousChange = this.published.newestChange ?? undefined;
    this.trees.push(...this.watermarks.recordsOf(link, { updates, changesTrees: update !== null }, this.published));
    this.slots.push({ kind: 'slot', events: eventsOf(link, update !== null), isOfRange: false, previousChange });
    this.published.add(block, update !== null);
    return this;
  }

  /** No block follows for some seconds. */
  wait(): void {
    this.trees.push(...this.watermarks.recordsOfSilent(this.published));
  }

  /** Reverts all blocks after one of the published blocks, newest first. */
  revertTo(forkPoint: BlockRef): void {
    const { blocks, all } = this.published;
    const orphaned = all.filter(({ slot }) => slot > forkPoint.slot).reverse();
    const reverted = orphaned.map((block): SlotReverted => ({
      kind: 'slot-reverted',
      ...blockRefOf(block),
      forkPoint: blockRefOf(forkPoint),
    }));
    this.trees.push(...reverted);
    this.slots.push(...reverted);
    const branch = blocks.filter(({ slot }) => slot <= forkPoint.slot);
    this.published.switchTo({ forkPoint, branch, newestChange: null, orphaned, adopted: [] });
  }

  /** Resumes from the newest records. */
  restart(): void {
    const [slots, trees] = [
      this.slots.slice(-64).map(selectForResume),
      this.trees.slice(-128).map(selectTreeForResume),
    ];
    this.published = new PublishedBlocks(readResumeState(slots, trees));
    this.watermarks = new Watermarks();
  }
}

function eventsOf(link: BlockLink, isChange: boolean): SlotEvents {
  const deadLetters = isChange ? [{ signature: null, index: 0, reasons: [], json: '' }] : [];
  const rest = { blockTime: 0, blockHeight: null, isFirst: false, transactions: [], trees: [], signatures: null };
  return { ...link, ...rest, deadLetters };
}

const skipped = fc.integer({ min: 0, max: 2 });
const blocks = fc.array(fc.tuple(skipped, fc.boolean()), { maxLength: 12 });
/** Blocks, then what happens next. Most chains are silent for longer than ingest remembers. */
const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('blocks' as const), blocks }),
    fc.record({ kind: fc.constant('silent' as const), count: fc.integer({ min: 1, max: 80 }) }),
    fc.record({ kind: fc.constant('fork' as const), depth: fc.integer({ min: 1, max: 20 }), blocks }),
    fc.record({ kind: fc.constantFrom('restart' as const, 'wait' as const) }),
  ),
  { maxLength: 12 },
);

describe('a prover', () => {
  let store: InMemoryTreeStore;
  let prover: TestProver;
  const start = async () => {
    store = await InMemoryTreeStore.open(sha256, null);
    prover = new TestProver(store, sha256);
  };
  const rootOf = async () => (await store.openTree(FIRST.tree.info.tree)).head?.root;
  const blocksOf = async () => (await store.claimPartition(0, 1)).blocks;
  const statesOf = async () => new Set((await blocksOf()).map(({ state }) => state));

  it('admits all blocks that one ingest publishes, with forks, restarts and silent blocks', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (list) => {
        await start();
        const ingest = new SimulatedIngest().publish(FIRST);
        const chain = [FIRST, childOf(FIRST, 0, true)];
        ingest.publish(chain[1]);
        const grow = (plans: readonly (readonly [number, boolean])[]) => {
          for (const [gap, isChange] of plans) {
            const block = childOf(chain[chain.length - 1], gap, isChange);
            chain.push(block);
            ingest.publish(block);
          }
        };
        // A fork is followed when its branch is finalized, so no later one goes back beyond its fork point.
        let finalized = 1;
        for (const step of list) {
          if (step.kind === 'blocks') grow(step.blocks);
          if (step.kind === 'silent') grow(Array.from({ length: step.count }, () => [0, false] as const));
          if (step.kind === 'restart') ingest.restart();
          if (step.kind === 'wait') ingest.wait();
          if (step.kind !== 'fork' || step.depth > chain.length - 1 - finalized) continue;
          chain.splice(-step.depth);
          finalized = chain.length - 1;
          ingest.revertTo(chain[chain.length - 1]);
          grow(step.blocks);
        }
        await prover.apply(ingest.trees);
        expect(await statesOf()).not.toContain('refused');
        expect(await rootOf()).toEqual(chain[chain.length - 1].tree.root);
        await prover.end();
      }),
      { numRuns: 25 },
    );
  });

  it('never mixes the branches of two ingests, and follows the chain once the other is reverted', async () => {
    const order = fc.infiniteStream(fc.boolean());
    await fc.assert(
      fc.asyncProperty(blocks, blocks, blocks, order, async (common, orphaned, canonical, turns) => {
        await start();
        const extend = (from: ChainBlock, plans: readonly (readonly [number, boolean])[]) =>
          plans.reduce(
            (branch, [gap, isChange]) => [...branch, childOf(branch[branch.length - 1], gap, isChange)],
            [from],
          );
        const shared = extend(FIRST, common);
        const forkPoint = shared[shared.length - 1];
        const branches = [orphaned, canonical].map((plans) => extend(forkPoint, plans).slice(1));
        const roots = new Map<string, Hash>(
          [...shared, ...branches.flat()].map((block) => [blockKey(block), block.tree.root]),
        );
        const [wrong, right] = branches.map((branch) => {
          const ingest = new SimulatedIngest();
          for (const block of [...shared, ...branch]) ingest.publish(block);
          return ingest;
        });
        const queues = [[...wrong.trees], [...right.trees]];
        for (const turn of turns) {
          const queue = queues[turn ? 0 : 1].length > 0 ? queues[turn ? 0 : 1] : queues[turn ? 1 : 0];
          const message = queue.shift();
          if (!message) break;
          await prover.apply([message]);
          const newest = (await blocksOf()).findLast(({ state, changesTrees }) => state === 'admitted' && changesTrees);
          if (newest) expect(await rootOf()).toEqual(roots.get(blockKey(newest)));
        }
        wrong.trees.length = 0;
        wrong.revertTo(forkPoint);
        await prover.apply([...wrong.trees, ...right.trees]);
        expect(await statesOf()).not.toContain('refused');
        const end = branches[1].at(-1) ?? forkPoint;
        if (end.tree.seq !== FIRST.tree.seq) expect(await rootOf()).toEqual(end.tree.root);
        await prover.end();
      }),
      { numRuns: 25 },
    );
  });
});
