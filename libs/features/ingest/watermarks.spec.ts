import { type TreeUpdatesMessage, type Watermark, WATERMARK_SLOTS } from '@fresnel/contracts/messages';
import { blockKey, type BlockLink, blockRefOf, Branch, parentOf } from '@fresnel/domain/chain';
import { toSlot } from '@fresnel/domain/primitives';
import { type TreeUpdate } from '@fresnel/domain/state';
import { type AddressTreeInfo } from '@fresnel/domain/trees';
import { blockLinkAt, range } from '@fresnel/testing/chain';
import { testAddressTree } from '@fresnel/testing/trees';
import fc from 'fast-check';
import { PUBLISHED_BLOCK_WINDOW } from './resume-point';
import { Watermarks } from './watermarks';

/** Publishes linked blocks like ingest does. */
class PublishedChain {
  readonly records: TreeUpdatesMessage[] = [];
  readonly published = new Branch(PUBLISHED_BLOCK_WINDOW);
  watermarks = new Watermarks();

  add(slots: readonly number[], { changed = [], branch = 'main', observedSlot = 0 }: BlockOptions = {}): this {
    for (const slot of slots) {
      const parent = this.published.tip ?? blockRefOf(blockLinkAt(slot - 1));
      const block = { ...blockLinkAt(slot, branch), parentSlot: parent.slot, parentBlockhash: parent.blockhash };
      const updates = changed.includes(slot) ? [updateOf(block, observedSlot)] : [];
      this.records.push(...this.watermarks.recordsOf(block, updates, this.published.blocks));
      this.published.append(blockRefOf(block));
    }
    return this;
  }

  get named(): number[][] {
    return this.records.flatMap((message) => (message.kind === 'watermark' ? [slotsOf(message)] : []));
  }

  /** Removes the records up to now. */
  clear(): this {
    this.records.length = 0;
    return this;
  }
}

interface BlockOptions {
  changed?: readonly number[];
  branch?: string;
  /** The slot at which the tree of the changes was observed. */
  observedSlot?: number;
}

function updateOf(block: BlockLink, observedSlot: number): TreeUpdate {
  const info = testAddressTree('addressV2');
  const tree: AddressTreeInfo = { ...info, observed: { ...info.observed, slot: toSlot(observedSlot) } };
  return { ...block, tree, changes: [] };
}

const slotsOf = ({ silent, slot }: Watermark) => [...silent.map((block) => block.slot), slot];
const START = 10 * WATERMARK_SLOTS;

describe('watermarks', () => {
  it('follow the updates of a block', () => {
    const { records } = new PublishedChain().add([START, START + 1], { changed: [START, START + 1] });
    expect(records.map(({ kind }) => kind)).toEqual(['update', 'watermark', 'update', 'watermark']);
    expect(records).toContainEqual({ kind: 'watermark', ...blockLinkAt(START + 1), silent: [] });
  });

  it('name the silent blocks before the updates of the next block', () => {
    const chain = new PublishedChain().add(range(START, START + 5), { changed: [START, START + 4] });
    expect(chain.records.map(({ kind }) => kind)).toEqual(['update', 'watermark', 'watermark', 'update', 'watermark']);
    expect(chain.named).toEqual([[START], [START + 1, START + 2, START + 3], [START + 4]]);
  });

  it('are published for the first block, and for one silent block of each range of slots', () => {
    const { named } = new PublishedChain().add(range(START - 3, START + 4 * WATERMARK_SLOTS));
    expect(named.map((slots) => slots.at(-1))).toEqual([
      START - 3,
      ...range(0, 4).map((count) => START + count * WATERMARK_SLOTS),
    ]);
    expect(named.at(-1)).toHaveLength(PUBLISHED_BLOCK_WINDOW);
  });

  it('are published for the first silent block of a range if slots are skipped', () => {
    const { named } = new PublishedChain().add([START + 1, START + 1_000, START + 3_000, START + 3_001]);
    expect(named).toEqual([[START + 1], [START + 1_000, START + 3_000]]);
  });

  it('are published at the slot at which a tree was observed', () => {
    const options = { changed: [START], observedSlot: START + 6 };
    const { named } = new PublishedChain().add(range(START, START + 9), options);
    expect(named).toEqual([[START], range(START + 1, START + 6)]);
  });

  it('name the silent blocks once while no block follows', () => {
    const { watermarks, published, named } = new PublishedChain().add(range(START, START + 3));
    expect(named).toEqual([[START]]);
    expect(watermarks.recordsOfSilent(published.blocks).map(slotsOf)).toEqual([range(START + 1, START + 3)]);
    expect(watermarks.recordsOfSilent(published.blocks)).toEqual([]);
  });

  it('name all published blocks after a restart', () => {
    const chain = new PublishedChain().add(range(START, START + 50)).clear();
    chain.watermarks = new Watermarks();
    chain.add([START + 51], { changed: [START + 51] });
    expect(chain.named).toEqual([range(START + 20, START + 50), [START + 51]]);
  });

  it('name the blocks of the new branch after a fork', () => {
    const chain = new PublishedChain().add(range(START, START + 9), { changed: [START + 5, START + 8] }).clear();
    chain.published.truncateFrom(toSlot(START + 8));
    chain.add([START + 8, START + 10], { changed: [START + 10], branch: 'other' });
    expect(chain.named).toEqual([[...range(START + 1, START + 7), START + 8], [START + 10]]);
  });

  it('give consumers the links of the blocks that a fork may orphan, in front of each update', () => {
    const gaps = fc.array(fc.tuple(fc.integer({ min: 1, max: 90 }), fc.boolean()), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(gaps, (list) => {
        const seen = new Map<string, BlockLink>();
        let slot = START;
        const chain = new PublishedChain();
        for (const [count, isChange] of list) {
          const slots = range(slot, slot + count - 1);
          chain.clear().add(slots, { changed: isChange ? slots.slice(-1) : [] });
          slot += count;
          for (const message of chain.records) {
            if (message.kind === 'watermark') for (const one of message.silent) seen.set(blockKey(one), one);
            if (message.kind === 'watermark') seen.set(blockKey(message), message);
            if (message.kind !== 'update' || message.update.slot === START) continue;
            const parent = seen.get(blockKey(parentOf(message.update)));
            expect(parent).toBeDefined();
            const known = parent ? Branch.endingAt(parent, seen, PUBLISHED_BLOCK_WINDOW - 1).blocks.length : 0;
            expect(known).toBe(Math.min(PUBLISHED_BLOCK_WINDOW - 1, message.update.slot - START));
          }
        }
      }),
    );
  });
});
