import { type BlockRef, sparseBlock } from '@fresnel/domain/chain';
import { toSlot } from '@fresnel/domain/primitives';
import { generateLedger } from '@fresnel/ledger-generator';
import { createTestSource, takeBlocks, takeSlots } from '@fresnel/testing/block-sources';
import { blockhashAt, FakeNode, linkBlocks, range } from '@fresnel/testing/chain';
import { postJson } from '@fresnel/testing/generic';
import { MissingHistoryError } from './block-source';

const MAINNET = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
const MAINNET_START = 286_193_746;
const DEVNET = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG';
const DEVNET_START = 319_998_226;

const refOf = (slot: number): BlockRef => ({ slot: toSlot(slot), blockhash: blockhashAt(slot) });

describe('RpcBlockSource', () => {
  let node: FakeNode;
  beforeEach(async () => {
    node = await FakeNode.start();
  });
  afterEach(() => node.close());

  it('identifies the chain by its genesis hash', async () => {
    const { source } = createTestSource(node);
    expect(await source.identify(new AbortController().signal)).toBe(node.genesisHash);
  });

  it('refuses a node whose genesis hash is none, unless another endpoint gives one', async () => {
    const { signal } = new AbortController();
    const other = await FakeNode.start();
    other.genesisHash = 'no-hash';
    await expect(createTestSource(other).source.identify(signal)).rejects.toThrow(
      /genesis hash that getGenesisHash returns is none .*: check that SOLANA_RPC_URL names a Solana node/,
    );
    const { source } = createTestSource([other, node]);
    expect(await source.identify(signal)).toBe(node.genesisHash);
    await other.close();
  });

  describe('delivers', () => {
    it('every block of a ledger in order, with the texts of transactions', async () => {
      const ledger = [...generateLedger({ seed: 9, slots: 60 })];
      node.add(ledger);
      const blocks = await takeBlocks(createTestSource(node).source, ledger.length);
      expect(blocks.map(({ slot, parentSlot }) => [slot, parentSlot])).toEqual(
        ledger.map(({ slot, parentSlot }) => [slot, parentSlot]),
      );
      blocks.forEach(({ transactions }, at) => {
        expect(transactions).toEqual(
          ledger[at].facts.transactions.map(({ members }, index) => ({ index, json: `{${members}}` })),
        );
      });
    });

    it('the same blocks from a node with many kinds of failures', async () => {
      const ledger = [...generateLedger({ seed: 10, slots: 40 })];
      node.add(ledger);
      for (const { slot } of ledger) {
        const at = { slot, times: 1 };
        if (slot % 2 === 0) node.fail({ kind: 'status', status: 429, retryAfter: '0.001' }, at);
        if (slot % 3 === 0) node.fail({ kind: 'cut' }, at);
        if (slot % 5 === 0) node.fail({ kind: 'body', text: '{"jsonrpc":' }, at);
        if (slot % 7 === 0) node.fail({ kind: 'error', code: -32004 }, at);
      }
      node.fail({ kind: 'status', status: 503 }, { method: 'getBlocks', times: 2 });
      node.fail({ kind: 'cut' }, { method: 'getSlot' });
      const slots = await takeSlots(createTestSource(node).source, ledger.length);
      expect(slots).toEqual(ledger.map(({ slot }) => slot));
    });

    it.each([
      ['stays at a slot', (node: FakeNode) => (node.tip = 1004)],
      [
        'lists no blocks',
        (node: FakeNode) => {
          node.fail({ kind: 'result', result: [] }, { method: 'getBlocks', times: Infinity });
        },
      ],
    ])('the blocks of another endpoint if the first one %s', async (_, spoil) => {
      const slots = range(1000, 1009);
      const other = await FakeNode.start(linkBlocks(slots));
      node.add(linkBlocks(slots));
      spoil(node);
      expect(await takeSlots(createTestSource([node, other]).source, 10)).toEqual(slots);
      await other.close();
    });

    it('blocks in order if responses arrive out of order, with limited concurrency', async () => {
      node.add(linkBlocks(range(1000, 1011)));
      const { source } = createTestSource(node, { concurrency: 4 });
      const release: (() => void)[] = [];
      for (const slot of [1000, 1001]) {
        node.fail({ kind: 'late', until: new Promise<void>((done) => release.push(done)) }, { slot });
      }
      const taking = takeSlots(source, 12);
      await node.waitForRequest('getBlock', 4);
      expect(node.requestsOf('getBlock').map(({ params }) => params[0])).toEqual([1000, 1001, 1002, 1003]);
      release[1]();
      release[0]();
      expect(await taking).toEqual(range(1000, 1011));
    });

    it('sparse blocks, with larger list ranges', async () => {
      const slots = [0, 5, 40_000, 1_500_000];
      node.add(linkBlocks(slots));
      expect(await takeSlots(createTestSource(node).source, slots.length)).toEqual(slots);
      const ranges = node.requestsOf('getBlocks').map(({ params }) => Number(params[1]) - Number(params[0]) + 1);
      expect(Math.max(...ranges)).toBe(500_000);
      expect(ranges.length).toBeLessThan(16);
    });

    it('blocks in an encoding and with transaction versions that it can parse', async () => {
      node.add(linkBlocks([1000]));
      await takeSlots(createTestSource(node).source, 1);
      expect(node.requestsOf('getBlock').map(({ params }) => params)).toEqual([
        [
          1000,
          {
            commitment: 'confirmed',
            encoding: 'base64',
            transactionDetails: 'full',
            rewards: false,
            maxSupportedTransactionVersion: 1,
          },
        ],
      ]);
    });
  });

  describe('starts', () => {
    it('at the configured slot', async () => {
      node.add(linkBlocks(range(1000, 1009)));
      expect(await takeSlots(createTestSource(node, { startSlot: toSlot(1004) }).source, 3)).toEqual(range(1004, 1006));
    });

    it.each([
      ['mainnet', MAINNET, MAINNET_START],
      ['devnet', DEVNET, DEVNET_START],
    ])('where ZK Compression started on %s', async (_, genesisHash, start) => {
      node.genesisHash = genesisHash;
      node.add(linkBlocks(range(start - 3, start + 3)));
      expect(await takeSlots(createTestSource(node).source, 2)).toEqual([start, start + 1]);
    });

    it.each([
      ['a million blocks or less', 1_000_000, undefined, []],
      ['more', 1_000_001, undefined, [{ level: 'warn', from: MAINNET_START, blocks: 1_000_001, requests: 1_001_002 }]],
      ['more, of an index that exists', 1_000_001, refOf(MAINNET_START), []],
    ])('with what all requests cost, before the first one: %s', async (_, blocks, after, expected) => {
      node.genesisHash = MAINNET;
      node.add(linkBlocks(range(MAINNET_START, MAINNET_START + 3)));
      node.tip = MAINNET_START + blocks - 1;
      const { source, lines } = createTestSource(node);
      await takeSlots(source, 2, after);
      expect(lines.filter(({ msg }) => msg.includes('docs/mainnet.md'))).toMatchObject(expected);
    });

    it('at the first block of another chain, genesis included', async () => {
      node.add(linkBlocks(range(0, 4)));
      const { source, lines } = createTestSource(node);
      expect(await takeSlots(source, 3)).toEqual([0, 1, 2]);
      expect(lines).toEqual([]);
    });

    it('at the first block that a node of another chain still has, with a warning', async () => {
      node.firstAvailable = 1002;
      node.add(linkBlocks(range(1000, 1005)));
      const { source, lines } = createTestSource(node);
      expect(await takeSlots(source, 2)).toEqual([1002, 1003]);
      expect(lines).toMatchObject([{ level: 'warn', slot: 1002, msg: expect.stringContaining('no older blocks') }]);
    });

    it('with a node that does not report its first block', async () => {
      node.fail({ kind: 'error', code: -32601 }, { method: 'getFirstAvailableBlock', times: 9 });
      node.add(linkBlocks([7, 8]));
      expect(await takeSlots(createTestSource(node).source, 2)).toEqual([7, 8]);
    });

    it('after the given block', async () => {
      node.add(linkBlocks(range(1000, 1009)));
      const { source } = createTestSource(node, { startSlot: toSlot(1000) });
      expect(await takeSlots(source, 3, refOf(1005))).toEqual(range(1006, 1008));
      expect(node.requestsOf('getGenesisHash')).toEqual([]);
    });

    it.each([
      ['the configured slot', { startSlot: toSlot(1001) }, null],
      ['the child of the given block', {}, refOf(1000)],
    ])('not at all if the node no longer has %s', async (_, options, after) => {
      node.firstAvailable = 1002;
      node.add(linkBlocks(range(1000, 1005)));
      const taking = takeSlots(createTestSource(node, options).source, 1, after);
      await expect(taking).rejects.toThrow(MissingHistoryError);
      await expect(taking).rejects.toThrow(
        /first available block is 1002, but block 1001 is needed.*INGEST_START_SLOT=1002/,
      );
      expect(node.requestsOf('getBlock')).toEqual([]);
    });

    it('not at all after a sparse block: the index began with a history source', async () => {
      node.add(linkBlocks(range(1000, 1005)));
      const taking = takeSlots(createTestSource(node).source, 1, sparseBlock(toSlot(1001)));
      await expect(taking).rejects.toThrow('at slot 1001: set HISTORY_URL');
    });
  });

  describe('follows', () => {
    it('a growing chain', async () => {
      node.add(linkBlocks([1000]));
      const { source } = createTestSource(node);
      const taking = takeSlots(source, 4);
      await node.waitForRequest('getSlot', 3);
      node.add(linkBlocks([1001, 1004], { parent: 1000 }));
      await node.waitForRequest('getBlock', 3);
      node.add(linkBlocks([1005], { parent: 1004 }));
      expect(await taking).toEqual([1000, 1001, 1004, 1005]);
    });

    it('the tip, which never decreases even if the node reports an older one', async () => {
      node.add(linkBlocks(range(1000, 1005)));
      const { source } = createTestSource(node);
      expect(source.tip).toBeNull();
      const stop = new AbortController();
      const tips: unknown[] = [];
      for await (const { slot } of source.blocks(null, stop.signal)) {
        if (slot < 1005) continue;
        tips.push(source.tip?.slot);
        node.tip = 1002;
        void node.waitForRequest('getSlot', node.requestsOf('getSlot').length + 2).then(() => {
          stop.abort();
        });
      }
      expect([...tips, source.tip?.slot]).toEqual([1005, 1005]);
      expect(source.tip?.seenAt).toBeInstanceOf(Date);
    });

    it.each([
      ['in its first answer', 0, 1],
      ['once', 1003, 1],
      ['several times', 1003, 5],
    ])('all blocks, although the node reports the tip of another cluster %s', async (_, after, times) => {
      const WRONG = 380_000_000;
      const lie = () => {
        node.fail({ kind: 'result', result: WRONG }, { method: 'getSlot', times });
      };
      node.add(linkBlocks(range(1000, 1003)));
      const { source } = createTestSource(node, { startSlot: toSlot(1000) });
      if (after === 0) lie();
      const stop = new AbortController();
      const taken: number[] = [];
      const tips = new Set<number | undefined>();
      for await (const { slot } of source.blocks(null, stop.signal)) {
        taken.push(slot);
        tips.add(source.tip?.slot);
        if (slot === after) lie();
        if (slot === 1003) {
          const { length } = node.requestsOf('getSlot');
          void node.waitForRequest('getSlot', length + times + 4).then(() => {
            node.add(linkBlocks(range(1004, 1006)));
          });
        }
        if (slot === 1006) stop.abort();
      }
      expect(taken).toEqual(range(1000, 1006));
      expect(source.tip?.slot).toBe(1006);
      expect(tips.has(WRONG)).toBe(false);
    });

    it('with lists of the default length after waiting at the tip', async () => {
      node.add(linkBlocks([1000]));
      const { source } = createTestSource(node);
      const stop = new AbortController();
      const seen: number[] = [];
      for await (const { slot } of source.blocks(null, stop.signal)) {
        seen.push(slot);
        if (slot < 1010) node.add(linkBlocks([slot + 1]));
        if (slot === 1010) node.add(linkBlocks(range(1011, 2300)));
        if (slot === 2300) stop.abort();
      }
      expect(seen).toEqual(range(1000, 2300));
      for (const { params } of node.requestsOf('getBlocks')) {
        expect(Number(params[1]) - Number(params[0])).toBeLessThan(1_000);
      }
    });
  });

  describe('ends without an error when the signal aborts', () => {
    it.each([
      ['before the start', 'nothing', []],
      ['while it waits for the genesis hash', 'getGenesisHash', []],
      ['while it waits for the tip', 'getSlot', []],
      ['while it waits for a list', 'getBlocks', []],
      ['while it waits for a block', 'getBlock', []],
      ['while it retries a request', 'getSlot', [429]],
    ])('%s', async (_, method, [status]) => {
      node.add(linkBlocks(range(1000, 1005)));
      node.fail(status ? { kind: 'status', status, retryAfter: '60' } : { kind: 'silence' }, { method, times: 99 });
      const stop = new AbortController();
      if (method === 'nothing') stop.abort();
      else
        void node.waitForRequest(method).then(() => {
          stop.abort();
        });
      const taken: number[] = [];
      for await (const { slot } of createTestSource(node).source.blocks(null, stop.signal)) taken.push(slot);
      expect(taken).toEqual([]);
    });

    it('while it waits for the next block', async () => {
      node.add(linkBlocks([1000]));
      const { source } = createTestSource(node, { startSlot: toSlot(1000), pollIntervalMs: 60_000 });
      const stop = new AbortController();
      const taken: number[] = [];
      void node.waitForRequest('getSlot', 3).then(() => {
        stop.abort();
      });
      for await (const { slot } of source.blocks(null, stop.signal)) taken.push(slot);
      expect(taken).toEqual([1000]);
    });

    it('and sends no more requests after its consumer stops the iteration', async () => {
      node.add(linkBlocks(range(1000, 1009)));
      for (const slot of [1001, 1002, 1003]) node.fail({ kind: 'status', status: 503 }, { slot, times: Infinity });
      const { source } = createTestSource(node, { startSlot: toSlot(1000) });
      for await (const { slot } of source.blocks(null, new AbortController().signal)) {
        await node.waitForRequest('getBlock', 20);
        if (slot === 1000) break;
      }
      const asked = node.requestsOf('getBlock').length;
      for (let id = 0; id < 50; id++) await postJson(node.url, { jsonrpc: '2.0', id, method: 'getGenesisHash' });
      expect(node.requestsOf('getBlock').length - asked).toBeLessThan(4);
    });

    it('while it fetches blocks ahead', async () => {
      node.add(linkBlocks(range(1000, 1003)));
      node.fail({ kind: 'silence' }, { slot: 1002 });
      expect(await takeSlots(createTestSource(node).source, 2)).toEqual([1000, 1001]);
    });
  });
});
