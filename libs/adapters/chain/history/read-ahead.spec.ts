import { toSlot } from '@fresnel/domain/primitives';
import { range } from '@fresnel/testing/chain';
import { testSignature } from '@fresnel/testing/slots';
import { until } from '@fresnel/testing/generic';
import { type HistoryPage, type SlotRange } from './history-source';
import { readAhead } from './read-ahead';

/** A page of ten slots with one transaction of 100 bytes. */
const pageAt = (from: number): HistoryPage => {
  const transactions = [{ index: 0, json: 'x'.repeat(100), signature: testSignature(1) }];
  return {
    ...{ from: toSlot(from), to: toSlot(from + 9), holes: [] },
    slots: [{ slot: toSlot(from), blockTime: null, transactions, link: null }],
  };
};
const ALL = { from: toSlot(0), to: toSlot(99) };
const OPTIONS = { partSlots: 30, concurrency: 3, maxWaitingBytes: 1_000 };
const never = new AbortController().signal;

describe('readAhead', () => {
  let read: number[];
  let ended: number;
  beforeEach(() => {
    [read, ended] = [[], 0];
  });
  async function* readPart({ from, to }: SlotRange, signal: AbortSignal): AsyncIterable<HistoryPage> {
    try {
      for (let at: number = from; at <= to; at += 10) {
        await Promise.resolve();
        signal.throwIfAborted();
        read.push(at);
        yield pageAt(at);
      }
    } finally {
      ended++;
    }
  }

  it('delivers the pages of all parts in order', async () => {
    const delivered: number[] = [];
    for await (const { from } of readAhead(ALL, readPart, OPTIONS, never)) delivered.push(from);
    expect(delivered).toEqual(range(0, 9).map((at) => at * 10));
    expect(read).not.toEqual(delivered);
  });

  it('lets pages wait only as long as there is room, and reads the part whose turn has come', async () => {
    const pages = readAhead(ALL, readPart, { ...OPTIONS, maxWaitingBytes: 150 }, never)[Symbol.asyncIterator]();
    await pages.next();
    await until(() => ended === 0 && read.length >= 4);
    const isOfFirst = (at: number) => at < 30;
    expect(read.filter((at) => !isOfFirst(at)).length).toBeLessThanOrEqual(3);
    const delivered = [0];
    for (let next = await pages.next(); !next.done; next = await pages.next()) delivered.push(next.value.from);
    expect(delivered.length).toBe(10);
  });

  it('begins no part while there is no room', async () => {
    const options = { partSlots: 10, concurrency: 3, maxWaitingBytes: 50 };
    const pages = readAhead(ALL, readPart, options, never)[Symbol.asyncIterator]();
    await pages.next();
    await pages.next();
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    expect(read).toEqual([0, 10, 20]);
    const delivered: number[] = [];
    for (let next = await pages.next(); !next.done; next = await pages.next()) delivered.push(next.value.from);
    expect(delivered).toEqual(range(2, 9).map((at) => at * 10));
  });

  it('throws the error of a part after the pages before it, and ends the others', async () => {
    const failing = (part: SlotRange, signal: AbortSignal) => {
      if (part.from === 30) throw new Error('refused');
      return readPart(part, signal);
    };
    async function* lazily(part: SlotRange, signal: AbortSignal) {
      yield* failing(part, signal);
    }
    const delivered: number[] = [];
    const reading = async () => {
      for await (const { from } of readAhead(ALL, lazily, OPTIONS, never)) delivered.push(from);
    };
    await expect(reading()).rejects.toThrow('refused');
    expect(delivered).toEqual([0, 10, 20]);
    expect(ended).toBe(3);
  });

  it('ends all parts when it is left, also those that wait for room', async () => {
    for await (const page of readAhead(ALL, readPart, { ...OPTIONS, maxWaitingBytes: 1 }, never)) {
      expect(page.from).toBe(0);
      break;
    }
    expect(ended).toBe(3);
  });
});
