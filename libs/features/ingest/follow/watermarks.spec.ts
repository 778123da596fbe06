import { type TreeUpdatesMessage, WATERMARK_SLOTS } from '@fresnel/contracts/messages';
import { type BlockLink, type BlockRef, blockRefOf, Branch, MAX_FORK_DEPTH } from '@fresnel/domain/chain';
import { toSlot } from '@fresnel/domain/primitives';
import { type TreeUpdate } from '@fresnel/domain/state';
import { type AddressTreeInfo } from '@fresnel/domain/trees';
import { blockhashAt, blockLinkAt, range } from '@fresnel/testing/chain';
import { testAddressTree } from '@fresnel/testing/trees';
import { PUBLISHED_BLOCK_WINDOW } from './resume-point';
import { Watermarks } from './watermarks';

/** Publishes linked blocks like ingest does. */
class PublishedChain {
  readonly records: TreeUpdatesMessage[] = [];
  readonly published = new Branch(PUBLISHED_BLOCK_WINDOW);
  watermarks = new Watermarks();
  private newestChange: BlockRef | null = null;

  add(slots: readonly number[], { changed = [], announced = [], observedSlot = 0 }: BlockOptions = {}): this {
    for (const slot of slots) {
      const parent = this.published.tip ?? blockRefOf(blockLinkAt(slot - 1));
      const block = { ...blockLinkAt(slot), parentSlot: parent.slot, parentBlockhash: parent.blockhash };
      const updates = [...changed, ...announced].includes(slot) ? [updateOf(block, observedSlot)] : [];
      const changesTrees = changed.includes(slot);
      this.records.push(...this.watermarks.recordsOf(block, { updates, changesTrees }, this.branch));
      this.published.append(blockRefOf(block));
      if (changesTrees) this.newestChange = blockRefOf(block);
    }
    return this;
  }

  get branch() {
    return { blocks: this.published.blocks, newestChange: this.newestChange };
  }

  /** The slots of the watermarks. */
  get slots(): number[] {
    return this.records.flatMap((message) => (message.kind === 'watermark' ? [message.slot] : []));
  }
}

interface BlockOptions {
  changed?: readonly number[];
  /** Blocks that announce a tree and change none. */
  announced?: readonly number[];
  /** The slot at which the tree of the changes was observed. */
  observedSlot?: number;
}

function updateOf(block: BlockLink, observedSlot: number): TreeUpdate {
  const info = testAddressTree('addressV2');
  const tree: AddressTreeInfo = { ...info, observed: { ...info.observed, slot: toSlot(observedSlot) } };
  return { ...block, tree, changes: [] };
}

const refOf = (slot: number): BlockRef => ({ slot: toSlot(slot), blockhash: blockhashAt(slot) });
const START = 10 * WATERMARK_SLOTS;

describe('watermarks', () => {
  it('follow the updates of a block, and name the newest earlier block that changes a tree, and the silent blocks since', () => {
    const { records } = new PublishedChain().add(range(START, START + 4), { changed: [START + 1, START + 4] });
    const named = records.map((message) => {
      const { slot } = message.kind === 'update' ? message.update : message;
      const { previousChange, silentBlocks = [] } = 'previousChange' in message ? message : {};
      return [message.kind, slot - START, previousChange, silentBlocks];
    });
    const since = [refOf(START + 2), refOf(START + 3)];
    expect(named).toEqual([
      ['watermark', 0, null, []],
      ['update', 1, null, [refOf(START)]],
      ['watermark', 1, null, [refOf(START)]],
      ['update', 4, refOf(START + 1), since],
      ['watermark', 4, refOf(START + 1), since],
    ]);
    expect(records.map((message) => message.kind === 'watermark' && message.changesTrees)).toEqual([
      ...[false, false, true, false, true],
    ]);
  });

  it('are published for a block that announces a tree, and do not count it as a change', () => {
    const { records } = new PublishedChain().add(range(START, START + 3), {
      announced: [START + 2],
      changed: [START + 3],
    });
    expect(records.map(({ kind }) => kind)).toEqual(['watermark', 'update', 'watermark', 'update', 'watermark']);
    expect(records[2]).toMatchObject({ slot: START + 2, changesTrees: false });
    expect(records[4]).toMatchObject({ slot: START + 3, changesTrees: true, previousChange: null });
  });

  it('name as many silent blocks as a fork may orphan', () => {
    const { records } = new PublishedChain().add(range(START, START + 100), { changed: [START, START + 100] });
    expect(records.at(-1)).toMatchObject({
      previousChange: refOf(START),
      silentBlocks: range(START + 100 - MAX_FORK_DEPTH, START + 99).map(refOf),
    });
  });

  it('are published for a block whose trees are unknown', () => {
    const { watermarks, branch } = new PublishedChain().add([START]);
    const block = blockLinkAt(START + 1);
    expect(watermarks.recordsOf(block, { updates: [], changesTrees: true }, branch)).toEqual([
      { kind: 'watermark', ...block, previousChange: null, silentBlocks: [refOf(START)], changesTrees: true },
    ]);
  });

  it('are published for the first block, and for one silent block of each range of slots', () => {
    const { slots } = new PublishedChain().add(range(START - 3, START + 4 * WATERMARK_SLOTS));
    expect(slots).toEqual([START - 3, ...range(0, 4).map((count) => START + count * WATERMARK_SLOTS)]);
  });

  it('are published for the first silent block of a range if slots are skipped', () => {
    const { slots } = new PublishedChain().add([START + 1, START + 1_000, START + 3_000, START + 3_001]);
    expect(slots).toEqual([START + 1, START + 3_000]);
  });

  it('are published at the slot at which a tree was observed', () => {
    const options = { changed: [START], observedSlot: START + 6 };
    const { slots } = new PublishedChain().add(range(START, START + 9), options);
    expect(slots).toEqual([START, START + 6]);
  });

  describe('while no block follows', () => {
    it('are published once for the last block if it is silent', () => {
      const { watermarks, branch } = new PublishedChain().add(range(START, START + 3), { changed: [START + 1] });
      expect(watermarks.recordsOfSilent(branch)).toEqual([
        {
          kind: 'watermark',
          ...blockLinkAt(START + 3),
          previousChange: refOf(START + 1),
          silentBlocks: [refOf(START + 2)],
          changesTrees: false,
        },
      ]);
      expect(watermarks.recordsOfSilent(branch)).toEqual([]);
    });

    it('are not published for a block that changes a tree, also after a restart', () => {
      const { watermarks, branch } = new PublishedChain().add(range(START, START + 3), { changed: [START + 3] });
      expect(watermarks.recordsOfSilent(branch)).toEqual([]);
      expect(new Watermarks().recordsOfSilent(branch)).toEqual([]);
    });
  });
});
