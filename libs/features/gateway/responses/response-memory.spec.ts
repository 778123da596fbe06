import { ResponseMemory } from './response-memory';

const MEGABYTE = 2 ** 20;
const blocksOf = (buffers: readonly Buffer[]) => new Set(buffers.map(({ buffer }) => buffer));

describe('memory of responses', () => {
  it('is used again after it is released, once for each response', () => {
    const memory = new ResponseMemory();
    const first = memory.take(MEGABYTE);
    const parts = [first.subarray(0, 10), Buffer.from(','), first.subarray(10, 20)];
    memory.release(parts);
    memory.release(parts);
    const [second, third] = [memory.take(MEGABYTE), memory.take(MEGABYTE)];
    expect(second.buffer).toBe(first.buffer);
    expect(third.buffer).not.toBe(first.buffer);
  });

  it('is not shared by responses that are not released', () => {
    const memory = new ResponseMemory();
    expect(blocksOf([1, 2, 3].map((bytes) => memory.take(bytes * MEGABYTE))).size).toBe(3);
  });

  it('is kept for a few responses only', () => {
    const memory = new ResponseMemory();
    const taken = Array.from({ length: 10 }, () => memory.take(MEGABYTE));
    memory.release(taken);
    const again = Array.from({ length: 10 }, () => memory.take(MEGABYTE));
    const used = blocksOf(taken);
    expect(again.filter(({ buffer }) => used.has(buffer))).toHaveLength(4);
  });

  it.each([1_000, 10 * MEGABYTE])('of %d bytes is not kept', (bytes) => {
    const memory = new ResponseMemory();
    const taken = memory.take(bytes);
    expect(taken).toHaveLength(bytes);
    memory.release([taken]);
    expect(memory.take(MEGABYTE).buffer).not.toBe(taken.buffer);
  });
});
