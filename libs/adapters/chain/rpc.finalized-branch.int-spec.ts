import { type BlockRef } from '@fresnel/domain/chain';
import { toSlot } from '@fresnel/domain/primitives';
import { createTestSource } from '@fresnel/testing/block-sources';
import {
  BLOCK_CLEANED_UP,
  BLOCK_NOT_AVAILABLE,
  blockhashAt,
  FakeNode,
  linkBlocks,
  LONG_TERM_SLOT_SKIPPED,
  range,
  SLOT_SKIPPED,
} from '@fresnel/testing/chain';
import { ForkError } from './block-source';
import { type FinalizedBranch, UnprovenBranchError } from './finalized-branch';

const refOf = (slot: number, branch = 'main'): BlockRef => ({
  slot: toSlot(slot),
  blockhash: blockhashAt(slot, branch),
});
const KNOWN = range(1000, 1010).map((slot) => refOf(slot));
const MAIN = linkBlocks(range(990, 1010));
/** The chain leaves the known blocks after 1005, and skips slots. */
const OTHER = linkBlocks([1007, 1010, 1012, 1013], { branch: 'other', parent: 1005 });

/** What is decided about each known block: on the chain, orphaned, or nothing. */
const decisionsOf = (branch: FinalizedBranch) => ({
  forkPoint: branch.forkPoint?.slot,
  blocks: branch.blocks.map(({ slot }) => slot),
  orphaned: KNOWN.filter((block) => branch.excludes(block)).map(({ slot }) => slot),
});
const FORKED = { forkPoint: 1005, blocks: [1007, 1010], orphaned: range(1006, 1010) };
const LINEAR = { forkPoint: 1010, blocks: [], orphaned: [] };

describe('the finalized chain', () => {
  const nodes: FakeNode[] = [];
  const startNode = async () => {
    const node = await FakeNode.start(MAIN);
    nodes.push(node);
    return node;
  };
  const startForked = async () => {
    const node = await startNode();
    node.switchBranch(1005, OTHER);
    return node;
  };
  afterEach(async () => {
    await Promise.all(nodes.splice(0).map((node) => node.close()));
  });

  const read = (endpoints: readonly FakeNode[], { known = KNOWN, upTo = 1010 } = {}) =>
    createTestSource(endpoints).source.readFinalized({ known, upTo: toSlot(upTo) }, AbortSignal.timeout(60_000));
  const decide = async (endpoints: readonly FakeNode[], question = {}) => decisionsOf(await read(endpoints, question));
  const failure = async (endpoints: readonly FakeNode[], question = {}) => {
    const error: unknown = await read(endpoints, question).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UnprovenBranchError);
    return error as UnprovenBranchError;
  };

  describe('shows', () => {
    it('that known blocks are on it', async () => {
      const node = await startNode();
      expect(await decide([node])).toEqual(LINEAR);
      node.add(linkBlocks(range(1011, 1020)));
      node.remove(1010);
      node.switchBranch(1009, linkBlocks(range(1011, 1012), { parent: 1009 }));
      expect(await decide([node])).toEqual({ forkPoint: 1009, blocks: [1011], orphaned: [1010] });
    });

    it('that known blocks are orphaned: it has another block there, or a link passes over the slot', async () => {
      expect(await decide([await startForked()])).toEqual(FORKED);
    });

    it('nothing about blocks after the asked slot', async () => {
      expect(await decide([await startForked()], { upTo: 1006 })).toEqual({
        forkPoint: 1005,
        blocks: [1007],
        orphaned: [1006, 1007],
      });
    });

    it('which blocks follow if the first known block is far below', async () => {
      const node = await startNode();
      node.add(linkBlocks(range(1011, 1080)));
      const branch = await read([node], { known: [refOf(1000)], upTo: 1070 });
      expect(branch.blocks.map(({ slot }) => slot)).toEqual(range(1001, 1070));
    });

    it('blocks that are in no list', async () => {
      const node = await startForked();
      node.unlisted.add(1010).add(1012);
      expect(await decide([node])).toEqual(FORKED);
    });

    it('a block after thousands of slots without one', async () => {
      const node = await startNode();
      node.switchBranch(1005, linkBlocks([9_000], { parent: 1005 }));
      expect(await decide([node])).toEqual({ forkPoint: 1005, blocks: [9_000], orphaned: range(1006, 1010) });
    });

    it('blocks after many slots without one, from lists that each node gives', async () => {
      const node = await startForked();
      node.add(linkBlocks([4_000], { branch: 'other', parent: 1013, from: 'other' }));
      const { blocks } = await read([node], { upTo: 1014 });
      expect(blocks.map(({ slot }) => slot)).toEqual([1007, 1010, 1012, 1013, 4_000]);
      const sizes = node.requestsOf('getBlocks').map(({ params: [from, to] }) => Number(to) - Number(from) + 1);
      expect(Math.max(...sizes)).toBeLessThanOrEqual(500);
    });

    it('the first block of an index without a known one', async () => {
      const branch = await read([await startNode()], { known: [], upTo: 1003 });
      expect([branch.forkPoint, branch.blocks.map(({ slot }) => slot)]).toEqual([null, [1003]]);
      expect(branch.excludes(refOf(1003, 'other'))).toBe(true);
    });
  });

  describe('shows nothing', () => {
    it('while its newest finalized slot is below the asked one', async () => {
      const node = await startForked();
      node.finalizedLag = 4;
      expect(await failure([node])).toMatchObject({ slot: 1010, endpoint: 1, isRetryable: true });
      node.finalizedLag = 3;
      expect(await decide([node])).toEqual(FORKED);
    });

    it.each([
      ['skipped', { kind: 'error', code: SLOT_SKIPPED }],
      ['skipped or lost', { kind: 'error', code: LONG_TERM_SLOT_SKIPPED }],
      ['not available', { kind: 'error', code: BLOCK_NOT_AVAILABLE }],
      ['null', { kind: 'result', result: null }],
      ['an unknown error', { kind: 'error', code: -32099 }],
    ] as const)('if a block is %s once', async (_, fault) => {
      const node = await startForked();
      node.fail(fault, { slot: 1007 });
      expect(await failure([node])).toMatchObject({ endpoint: 1 });
      expect(await decide([node])).toEqual(FORKED);
    });

    it('if a block is cleaned up', async () => {
      const node = await startForked();
      node.fail({ kind: 'error', code: BLOCK_CLEANED_UP }, { slot: 1007, times: 2 });
      expect(await failure([node])).toMatchObject({ endpoint: 1 });
      expect(await decide([node])).toEqual(FORKED);
    });

    it.each([
      ['an error status', { kind: 'status', status: 503 }],
      ['half an answer', { kind: 'cut' }],
      ['another block', { kind: 'json', text: linkBlocks([1007], { branch: 'third' })[0].json }],
      [
        'a parent at a higher slot',
        { kind: 'json', text: linkBlocks([1007], { branch: 'other', parent: 1008 })[0].json },
      ],
      ['no block', { kind: 'body', text: 'x' }],
    ] as const)('while the node gives %s', async (_, fault) => {
      const node = await startForked();
      node.fail(fault, { slot: 1007, times: Infinity });
      expect(await failure([node])).toMatchObject({ endpoint: 1 });
    });

    it.each([1, 2])('if the node gives another branch at reading %d', async (reading) => {
      const node = await startNode();
      const [lie] = linkBlocks([1010], { branch: 'third', parent: 1009, from: 'main' });
      if (reading === 2) node.fail({ kind: 'result', result: JSON.parse(MAIN[MAIN.length - 1].json) }, { slot: 1010 });
      node.fail({ kind: 'json', text: lie.json }, { slot: 1010 });
      expect((await failure([node])).message).toMatch(/another branch/);
      expect(await decide([node])).toEqual(LINEAR);
    });

    it('while no endpoint answers', async () => {
      const node = await startNode();
      node.fail({ kind: 'status', status: 500 }, { times: Infinity });
      expect(await failure([node, node])).toMatchObject({ endpoint: 1 });
    });
  });

  describe('of two endpoints', () => {
    it('is what both have', async () => {
      const [one, other] = [await startForked(), await startForked()];
      expect(await decide([one, other])).toEqual(FORKED);
      expect(one.requestsOf('getSlot').length).toBe(1);
      expect(other.requestsOf('getSlot').length).toBe(1);
    });

    it('is unproven while they disagree, whichever of them is right', async () => {
      const [right, wrong] = [await startNode(), await startForked()];
      for (const endpoints of [
        [right, wrong],
        [wrong, right],
      ]) {
        expect(await failure(endpoints)).toMatchObject({
          endpoint: null,
          message: 'endpoints give different branches',
        });
      }
      wrong.add(MAIN);
      expect(await decide([wrong, right])).toEqual(LINEAR);
    });

    it('is unproven while one of them is behind, also if the other one is wrong', async () => {
      const [behind, wrong] = [await startNode(), await startForked()];
      behind.tip = 1008;
      expect(await failure([wrong, behind])).toMatchObject({ slot: 1010, endpoint: 2 });
      behind.tip = 1010;
      expect((await failure([wrong, behind])).message).toBe('endpoints give different branches');
    });

    it('is unproven while both are behind', async () => {
      const [one, other] = [await startForked(), await startForked()];
      one.finalizedLag = other.finalizedLag = 32;
      expect(await failure([one, other])).toMatchObject({ slot: 1010, endpoint: 1 });
    });

    it.each([
      [
        'does not answer',
        (node: FakeNode) => {
          node.fail({ kind: 'status', status: 502 }, { times: Infinity });
        },
      ],
      ['has deleted the blocks', (node: FakeNode) => (node.firstAvailable = 2_000)],
      ['stopped long ago', (node: FakeNode) => (node.tip = 700)],
      [
        'calls a block skipped',
        (node: FakeNode) => {
          node.fail({ kind: 'error', code: SLOT_SKIPPED }, { times: Infinity, slot: 1007 });
        },
      ],
    ])('is what one gives twice if the other one %s', async (_, breakNode) => {
      const [node, broken] = [await startForked(), await startForked()];
      breakNode(broken);
      expect(await decide([broken, node])).toEqual(FORKED);
      expect(await decide([node, broken])).toEqual(FORKED);
      node.fail({ kind: 'json', text: linkBlocks([1007], { branch: 'third', parent: 1005 })[0].json }, { slot: 1007 });
      await failure([node, broken]);
    });
  });

  it('of three endpoints is what two of them have', async () => {
    const [one, wrong, other] = [await startForked(), await startNode(), await startForked()];
    expect(await decide([one, wrong, other])).toEqual(FORKED);
  });

  describe('that descends from none of the known blocks', () => {
    const fork = async () => {
      const node = await startNode();
      node.switchBranch(996, linkBlocks([1000, 1004, 1011], { branch: 'other', parent: 996 }));
      return node;
    };

    it('is an error', async () => {
      const finding = read([await fork()]);
      await expect(finding).rejects.toThrow(ForkError);
      await expect(finding).rejects.toMatchObject({ block: null, isRetryable: false });
      await expect(finding).rejects.toThrow(
        /^finalized block 1011 \(\w+\) descends from none of the 11 newest published blocks, 1000 to 1010: .* rebuild the index/,
      );
    });

    it.each([
      ['names a hash that no block has', { branch: 'wrong', parent: 1010, from: 'none' }],
      ['names a slot below all known blocks', { branch: 'main', parent: 995, from: 'none' }],
    ])('is not shown by a block that %s', async (_, link) => {
      const node = await startNode();
      node.add(linkBlocks([1011], link));
      await failure([node], { upTo: 1011 });
      await failure([node], { known: [refOf(1010)], upTo: 1011 });
    });

    it('is no error while another endpoint has a known block', async () => {
      await failure([await fork(), await startNode()]);
    });
  });
});
