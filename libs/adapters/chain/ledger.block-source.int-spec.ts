import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type BlockRef } from '@fresnel/domain/chain';
import { toBase58, toSlot } from '@fresnel/domain/primitives';
import { generateLedger } from '@fresnel/ledger-generator';
import { takeBlocks, takeSlots } from '@fresnel/testing/block-sources';
import { blockhashAt, linkBlocks, range } from '@fresnel/testing/chain';
import { until } from '@fresnel/testing/generic';
import { ForkError } from './block-source';
import { LedgerBlockSource, LedgerError, type LedgerBlockSourceOptions } from './ledger.block-source';

const refOf = (slot: number, branch?: string): BlockRef => ({
  slot: toSlot(slot),
  blockhash: blockhashAt(slot, branch),
});

describe('LedgerBlockSource', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'fresnel-ledger-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  /** Writes lines to a file and opens it. */
  function open(
    lines: readonly string[],
    {
      name = 'ledger.ndjson',
      end = '\n',
      live,
    }: { name?: string; end?: string } & Partial<LedgerBlockSourceOptions> = {},
  ): LedgerBlockSource {
    const path = join(folder, name);
    const text = lines.map((line) => line + end).join('');
    writeFileSync(path, name.endsWith('.gz') ? gzipSync(text) : text);
    return new LedgerBlockSource({ path, accountCompression: null, live });
  }
  const linesOf = (blocks: readonly { json: string }[]) => blocks.map(({ json }) => json);
  const chain = linesOf(linkBlocks(range(1000, 1005)));

  it.each([
    ['a plain file', 'ledger.ndjson', '\n'],
    ['a gzipped file', 'ledger.ndjson.gz', '\n'],
    ['a file with CRLF line ends', 'ledger.ndjson', '\r\n'],
    ['a file with empty lines', 'ledger.ndjson', '\n\n'],
  ])('reads the blocks of %s, and the texts of their transactions', async (_, name, end) => {
    const ledger = [...generateLedger({ seed: 12, slots: 30 })];
    const source = open(linesOf(ledger), { name, end });
    const blocks = await takeBlocks(source, Infinity);
    expect(blocks.map(({ slot }) => slot)).toEqual(ledger.map(({ slot }) => slot));
    blocks.forEach(({ transactions }, at) => {
      expect(transactions).toEqual(
        ledger[at].facts.transactions.map(({ members }, index) => ({ index, json: `{${members}}` })),
      );
    });
  });

  it('identifies the chain by its first block, and has its last block as the tip', async () => {
    const source = open(chain);
    expect(source.tip).toBeNull();
    expect(await source.identify()).toBe(`ledger ${toBase58(blockhashAt(1000))}`);
    expect(await source.summarize()).toEqual({ blocks: 6, lastSlot: 1005 });
    const shares: number[] = [];
    await open(chain).summarize((readShare) => shares.push(readShare));
    expect(shares).toHaveLength(6);
    expect(shares.at(-1)).toBe(1);
    const tips: unknown[] = [];
    for await (const { slot } of source.blocks(null, new AbortController().signal)) tips.push([slot, source.tip?.slot]);
    expect(tips).toEqual(range(1000, 1005).map((slot) => [slot, 1005]));
  });

  it('reads a last line without a newline', async () => {
    expect(await takeSlots(open([chain.join('\n')], { end: '' }), Infinity)).toEqual(range(1000, 1005));
  });

  it.each([
    ['the blocks after the given one', 1002, [1003, 1004, 1005]],
    ['nothing after the last block', 1005, []],
  ])('delivers %s', async (_, after, expected) => {
    expect(await takeSlots(open(chain), Infinity, refOf(after))).toEqual(expected);
  });

  it('skips slots without a block', async () => {
    const slots = [1000, 1003, 1004, 1009];
    expect(await takeSlots(open(linesOf(linkBlocks(slots))), Infinity, refOf(1003))).toEqual([1004, 1009]);
  });

  it('stops when its signal aborts', async () => {
    expect(await takeSlots(open(chain), 2)).toEqual([1000, 1001]);
  });

  it('has all its blocks on the finalized chain', async () => {
    const source = open(chain);
    const [one, another] = [refOf(1004), refOf(1005, 'other')];
    const branch = await source.readFinalized({ known: [one, another], upTo: toSlot(1006) });
    expect([branch.forkPoint, branch.excludes(another)]).toEqual([one, true]);
  });

  it('throws a ForkError if it contains none of the known blocks, because a ledger has no forks', async () => {
    const finding = open(chain).readFinalized({ known: [refOf(1004, 'other')], upTo: toSlot(1006) });
    await expect(finding).rejects.toThrow(ForkError);
    await expect(finding).rejects.toThrow(/ledger\.ndjson contains none of the last indexed blocks: .* another ledger/);
  });

  it('gives a block without a time that of the nearest one before it that has one, wherever reading starts', async () => {
    const timeless = chain.map((line, at) =>
      at === 3 || at === 4 ? line.replace(/"blockTime":\d+/, '"blockTime":null') : line,
    );
    const source = open(timeless);
    const times = (await takeBlocks(source, Infinity, refOf(1001))).map(({ blockTime }) => blockTime);
    expect(times).toEqual([1002, 1002, 1002, 1005].map((slot) => 1_700_000_000 + slot));
    expect((await source.findBlock(toSlot(1004)))?.blockTime).toBe(1_700_001_002);
    await expect(takeBlocks(open(timeless.slice(3)), 1)).rejects.toThrow(
      'block 1003 has no time, and none of up to 64 blocks before it has one',
    );
  });

  it('delivers the blocks from a slot on', async () => {
    const slots: number[] = [];
    for await (const { slot } of open(chain).blocksFrom(toSlot(1004), new AbortController().signal)) slots.push(slot);
    expect(slots.slice(0, 2)).toEqual([1004, 1005]);
  });

  describe('rejects', () => {
    it.each([
      ['a missing file', 'missing.ndjson', null, /missing\.ndjson cannot be read: .*no such file/],
      ['a missing gzipped file', 'missing.gz', null, /missing\.gz cannot be read: .*no such file/],
      ['a folder', '.', null, /cannot be read: /],
      ['a file that is not gzipped', 'plain.gz', Buffer.from('{}\n'), /plain\.gz cannot be read: .*header/],
      ['a truncated gzipped file', 'cut.gz', gzipSync(chain.join('\n')).subarray(0, -9), /cannot be read: /],
      ['a file without a block', 'empty.ndjson', Buffer.from('\n\n'), /empty\.ndjson contains no block/],
    ])('%s', async (_, name, content, message) => {
      const path = join(folder, name);
      if (content) writeFileSync(path, content);
      const calls = [
        () => new LedgerBlockSource({ path, accountCompression: null }).identify(),
        () => takeSlots(new LedgerBlockSource({ path, accountCompression: null }), Infinity),
      ];
      for (const call of calls) {
        await expect(call()).rejects.toThrow(LedgerError);
        await expect(call()).rejects.toThrow(message);
      }
    });

    it.each([
      ['invalid JSON', '{"slot":1003', /line 4: .*JSON/],
      ['a number', '17', /line 4: expected an object/],
      ['a block without a slot', chain[3].replace('"slot":1003,', ''), /line 4: expected a number/],
      [
        'a block without transactions',
        chain[3].replace('"transactions"', '"others"'),
        /line 4: block 1003: expected an array/,
      ],
      ['a block with a broken hash', chain[3].replace('"blockhash":"', '"blockhash":"0'), /line 4: block 1003: /],
    ])('a line with %s, and names the line', async (_, line, message) => {
      const source = open(chain.with(3, line));
      const taken: number[] = [];
      const reading = (async () => {
        for await (const { slot } of source.blocks(null, new AbortController().signal)) taken.push(slot);
      })();
      await expect(reading).rejects.toThrow(LedgerError);
      await expect(reading).rejects.toThrow(message);
      expect(taken).toEqual([1000, 1001, 1002]);
    });

    it.each([
      ['its start', [' ', 'oops', ...chain], /line 1: /],
      ['its start, after empty lines', ['', '', 'oops', ...chain], /line 3: /],
      ['its end, after an empty line', [...chain, '', 'oops'], /line 8: /],
    ])('a ledger with an invalid line at %s', async (_, lines, message) => {
      await expect(open(lines).identify()).rejects.toThrow(message);
      await expect(takeSlots(open(lines), Infinity)).rejects.toThrow(message);
    });

    const other = linesOf(linkBlocks([1003, 1004, 1005], { branch: 'other', parent: 1002 }));
    it.each([
      ['a missing block', chain.toSpliced(3, 1), null, [1000, 1001, 1002], 'block 1004 is not the child of block 1002'],
      [
        'a block of another branch',
        chain.with(4, other[1]),
        null,
        range(1000, 1003),
        'block 1004 is not the child of block 1003',
      ],
      ['blocks in another order', chain.toReversed(), null, [1005], 'block 1004 is not the child of block 1005'],
      [
        'the same block twice',
        [...chain, chain[5]],
        null,
        range(1000, 1005),
        'block 1005 is not the child of block 1005',
      ],
      [
        'a missing block before the first one to deliver',
        chain.toSpliced(1, 1),
        refOf(1003),
        [],
        'block 1002 is not the child of block 1000',
      ],
      [
        'another block at the slot to continue after',
        chain,
        refOf(1003, 'other'),
        [],
        'block 1004 is not the child of block 1003',
      ],
      [
        'no block at the slot to continue after',
        chain.slice(3),
        refOf(1001),
        [],
        'block 1003 is not the child of block 1001',
      ],
    ])('a ledger with %s', async (_, lines, after, expected, message) => {
      const taken: number[] = [];
      const reading = (async () => {
        for await (const { slot } of open(lines).blocks(after, new AbortController().signal)) taken.push(slot);
      })();
      await expect(reading).rejects.toThrow(LedgerError);
      await expect(reading).rejects.toThrow(message);
      expect(taken).toEqual(expected);
    });
  });

  describe('in live mode', () => {
    it('delivers the first blocks at once and the others one by one, and moves its tip along', async () => {
      const source = open(chain, { live: { blocksAtOnce: 3, slotMs: 40 } });
      const times: number[] = [];
      const stop = new AbortController();
      for await (const { slot } of source.blocks(null, stop.signal)) {
        times.push(performance.now());
        expect(source.tip).toMatchObject({ slot, seenAt: expect.any(Date) });
        if (slot === 1005) stop.abort();
      }
      expect(times).toHaveLength(6);
      for (const at of [3, 4, 5]) expect(times[at] - times[at - 1]).toBeGreaterThan(30);
    });

    it('counts the first blocks from the slot where it continues', async () => {
      const source = open(chain, { live: { blocksAtOnce: 2, slotMs: 60_000 } });
      const stop = new AbortController();
      const taken: number[] = [];
      for await (const { slot } of source.blocks(refOf(1002), stop.signal)) {
        taken.push(slot);
        if (slot === 1004)
          setImmediate(() => {
            stop.abort();
          });
      }
      expect(taken).toEqual([1003, 1004]);
    });

    it.each([
      [
        'while its last block is processed',
        (stop: AbortController) => {
          stop.abort();
        },
      ],
      [
        'while it waits after its last block',
        (stop: AbortController) => {
          const addListener = jest.spyOn(stop.signal, 'addEventListener');
          void until(() => addListener.mock.calls.length > 0).then(() => {
            stop.abort();
          });
        },
      ],
    ])('does not end until the signal aborts: %s', async (_, end) => {
      const source = open(chain, { live: { blocksAtOnce: 99, slotMs: 1 } });
      const stop = new AbortController();
      const taken: number[] = [];
      for await (const { slot } of source.blocks(null, stop.signal)) {
        taken.push(slot);
        if (slot === 1005) end(stop);
      }
      expect(taken).toEqual(range(1000, 1005));
      expect(stop.signal.aborted).toBe(true);
    });

    it('delivers nothing if the signal was aborted before the start', async () => {
      const source = open(chain, { live: { blocksAtOnce: 99, slotMs: 1 } });
      expect(await source.blocks(refOf(1005), AbortSignal.abort())[Symbol.asyncIterator]().next()).toMatchObject({
        done: true,
      });
    });
  });
});
