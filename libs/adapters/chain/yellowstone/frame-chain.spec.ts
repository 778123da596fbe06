import { type BlockRef } from '@fresnel/domain/chain';
import { toSlot } from '@fresnel/domain/primitives';
import { blockhashAt, range } from '@fresnel/testing/chain';
import { type BlockFrame } from './block-frame.codec';
import { FrameChain } from './frame-chain';

const refOf = (slot: number): BlockRef => ({ slot: toSlot(slot), blockhash: blockhashAt(slot) });

function frameAt(slot: number, parentSlot = slot - 1): BlockFrame {
  const parentBlockhash = blockhashAt(parentSlot);
  const frame = { parentSlot: toSlot(parentSlot), parentBlockhash, blockTime: 1, blockHeight: 1 };
  return { ...refOf(slot), ...frame, needsFetch: false, transactionCount: 0 };
}

describe('FrameChain', () => {
  it('returns children in chain order for frames added in any order', () => {
    const frames = new FrameChain();
    for (const slot of [1003, 1001, 1002]) frames.add(frameAt(slot));
    expect(range(1000, 1003).map((slot) => frames.takeChild(refOf(slot))?.slot)).toEqual([1001, 1002, 1003, undefined]);
  });

  it('returns each child once', () => {
    const frames = new FrameChain();
    frames.add(frameAt(1001));
    frames.add(frameAt(1001));
    expect(frames.hasChild(refOf(1000))).toBe(true);
    expect(frames.takeChild(refOf(1000))?.slot).toBe(1001);
    expect(frames.hasChild(refOf(1000))).toBe(false);
  });

  it.each([
    ['another parent blockhash', { parentBlockhash: blockhashAt(1000, 'other') }],
    ['another parent slot', { parentSlot: toSlot(999) }],
    ['a slot that is not above the slot of the parent', { slot: toSlot(1000) }],
  ])('does not return a frame with %s as the child', (_, difference) => {
    const frames = new FrameChain();
    frames.add({ ...frameAt(1001), ...difference });
    expect(frames.takeChild(refOf(1000))).toBeNull();
  });

  it('reports whether the stream has delivered a later slot', () => {
    const frames = new FrameChain();
    expect(frames.isBeyond(refOf(1000))).toBe(false);
    frames.add(frameAt(1005));
    frames.add(frameAt(1002));
    expect([1004, 1005].map((slot) => frames.isBeyond(refOf(slot)))).toEqual([true, false]);
  });

  it('keeps only the newest frames', () => {
    const frames = new FrameChain();
    for (const slot of range(1, 10_002)) frames.add(frameAt(slot));
    expect([0, 1, 2, 10_001].map((slot) => frames.hasChild(refOf(slot)))).toEqual([false, false, true, true]);
  });

  it('is full for a reader that has not taken its frames, and keeps them all', () => {
    const frames = new FrameChain(3);
    frames.isFollowed = true;
    const isFull = [1001, 1002, 1003, 1004].map((slot) => {
      frames.add(frameAt(slot));
      return frames.isFull;
    });
    expect(isFull).toEqual([false, false, true, true]);
    expect(range(1000, 1003).map((slot) => frames.takeChild(refOf(slot))?.slot)).toEqual(range(1001, 1004));
    expect(frames.isFull).toBe(false);
  });

  it('is not full without a reader', () => {
    const frames = new FrameChain(1);
    for (const slot of range(1, 3)) frames.add(frameAt(slot));
    expect(frames.isFull).toBe(false);
  });

  it('forgets its frames when the stream replays', () => {
    const frames = new FrameChain();
    frames.add(frameAt(1005));
    frames.state = 'replaying';
    expect([frames.hasChild(refOf(1004)), frames.isBeyond(refOf(1000))]).toEqual([false, false]);
  });

  it('notifies listeners of every change until they are removed', async () => {
    const frames = new FrameChain();
    const listener = jest.fn();
    const stop = frames.onChange(listener);
    const changed = frames.waitForChange(new AbortController().signal);
    frames.add(frameAt(1001));
    await changed;
    frames.state = 'live';
    expect([listener.mock.calls.length, frames.state]).toEqual([2, 'live']);
    stop();
    frames.state = 'down';
    expect(listener).toHaveBeenCalledTimes(2);
  });
});
