import { ProverUnavailableError, TreeBehindError } from '@fresnel/adapters/prover-client';
import { keyOf, type Pubkey, type Slot, toSlot } from '@fresnel/domain/primitives';
import { useTime } from '@fresnel/platform/time';
import { range } from '@fresnel/testing/chain';
import { ManualTime } from '@fresnel/testing/generic';
import { testAddressTree } from '@fresnel/testing/trees';
import { TreeSlotWatchers } from './tree-slot-watchers';

const { tree } = testAddressTree('addressV1');
const { tree: other } = testAddressTree('addressV2');

/** The slots of trees, as a test sets them. */
class TestSlots {
  reads = 0;
  /** The slots of the next reads; the last one stays. */
  next: (number | null | Error)[] = [null];
  readonly byTree = new Map<string, number>();

  readonly read = (key: Pubkey): Promise<Slot | null> => {
    this.reads++;
    const slot = this.byTree.get(keyOf(key)) ?? (this.next.length > 1 ? this.next.shift() : this.next[0]);
    if (slot instanceof Error) return Promise.reject(slot);
    return Promise.resolve(slot === null || slot === undefined ? null : toSlot(slot));
  };
}

describe('requests that wait for the slot of a tree', () => {
  let slots: TestSlots;
  let time: ManualTime;
  let restoreTime: () => void;
  beforeEach(() => {
    slots = new TestSlots();
    time = new ManualTime();
    restoreTime = useTime(time);
  });
  afterEach(() => {
    restoreTime();
  });

  /** Lets time pass in small steps until a promise has settled. */
  async function passTime<Value>(promise: Promise<Value>): Promise<Value> {
    let isSettled = false;
    const settled = promise.finally(() => (isSettled = true));
    settled.catch(() => undefined);
    await new Promise(setImmediate);
    while (!isSettled) {
      time.advance(1);
      await new Promise(setImmediate);
    }
    return settled;
  }

  const create = (maxWaitMs = 60_000, maxWaitSlots = 100) =>
    new TreeSlotWatchers(slots.read, { PROVER_MAX_WAIT_MS: maxWaitMs, PROVER_MAX_WAIT_SLOTS: maxWaitSlots });

  it.each([1, 1_000])('%d requests cause the polls of one', async (requests) => {
    const watchers = create();
    slots.next = [5, 5, 6, 6, 7];
    const waits = Promise.all(range(1, requests).map(() => watchers.waitForSlot(tree, toSlot(7))));
    expect(watchers.waiting).toBe(requests);
    await passTime(waits);
    expect([slots.reads, watchers.waiting]).toEqual([5, 0]);
  });

  it('are each released at their own slot', async () => {
    const watchers = create();
    slots.next = [5];
    const late = watchers.waitForSlot(tree, toSlot(9));
    await watchers.waitForSlot(tree, toSlot(5));
    expect(watchers.waiting).toBe(1);
    slots.next = [9];
    await passTime(late);
    expect(watchers.waiting).toBe(0);
  });

  it('are answered from a poll that starts after them, and share it', async () => {
    const answers: ((slot: Slot) => void)[] = [];
    const read = jest.spyOn(slots, 'read').mockImplementation(() => new Promise((done) => answers.push(done)));
    const polled = new TreeSlotWatchers(() => slots.read(tree), { PROVER_MAX_WAIT_MS: 0, PROVER_MAX_WAIT_SLOTS: 100 });
    const first = polled.waitForSlot(tree, toSlot(5));
    await Promise.resolve();
    const later = range(1, 3).map(() => polled.waitForSlot(tree, toSlot(6)));
    answers[0](toSlot(5));
    await first;
    await new Promise(setImmediate);
    expect([read.mock.calls.length, polled.waiting]).toEqual([2, 3]);
    answers[1](toSlot(6));
    await Promise.all(later);
    expect([read.mock.calls.length, polled.waiting]).toEqual([2, 0]);
  });

  it('are not lost if they follow each other at once', async () => {
    const watchers = create();
    slots.next = [5];
    for (let turns = 0; turns < 20; turns++) {
      await watchers.waitForSlot(tree, toSlot(5));
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    }
    expect(watchers.waiting).toBe(0);
  });

  it('wait for a tree that is far behind for a moment', async () => {
    const watchers = create(60_000, 100);
    slots.next = [5, 5, 1_000];
    await passTime(watchers.waitForSlot(tree, toSlot(1_000)));
    expect(slots.reads).toBe(3);
  });

  it('are refused at once if the tree stays far behind, until it is not', async () => {
    const watchers = create(100, 100);
    slots.next = [5];
    const wait = (slot: number) => passTime(watchers.waitForSlot(tree, toSlot(slot)));
    const behind = new TreeBehindError(toSlot(5), toSlot(106));
    await expect(wait(106)).rejects.toEqual(behind);
    expect(slots.reads).toBeGreaterThan(1);
    slots.reads = 0;
    await expect(wait(106)).rejects.toEqual(behind);
    expect(slots.reads).toBe(1);
    slots.next = [105];
    await wait(105);
    slots.next = [105, 105, 300];
    await wait(300);
  });

  it('of a tree without a slot are refused like those of one that is far behind', async () => {
    const watchers = create(30);
    const wait = () => passTime(watchers.waitForSlot(tree, toSlot(300_000_000)));
    await expect(wait()).rejects.toMatchObject({ slot: null });
    slots.reads = 0;
    await expect(wait()).rejects.toMatchObject({ slot: null });
    expect(slots.reads).toBe(1);
  });

  it('are refused after the maximum time', async () => {
    const watchers = create(30);
    slots.next = [5];
    await expect(passTime(watchers.waitForSlot(tree, toSlot(6)))).rejects.toBeInstanceOf(TreeBehindError);
    expect([time.now(), watchers.waiting]).toEqual([30, 0]);
  });

  it('read the slot once if they may not wait', async () => {
    slots.next = [5];
    await expect(create(0).waitForSlot(tree, toSlot(6))).rejects.toBeInstanceOf(TreeBehindError);
    expect(slots.reads).toBe(1);
  });

  it('are removed when they are aborted, and the polls end with the last one', async () => {
    const watchers = create();
    slots.next = [5];
    const [one, two] = [new AbortController(), new AbortController()];
    const waits = [one, two].map(({ signal }) => watchers.waitForSlot(tree, toSlot(6), signal));
    one.abort();
    await expect(waits[0]).rejects.toBeInstanceOf(ProverUnavailableError);
    expect(watchers.waiting).toBe(1);
    two.abort();
    await expect(waits[1]).rejects.toBeInstanceOf(ProverUnavailableError);
    expect(watchers.waiting).toBe(0);
    await new Promise(setImmediate);
    const { reads } = slots;
    time.advance(1_000);
    await new Promise(setImmediate);
    expect([slots.reads, time.pending]).toEqual([reads, 0]);
    await expect(watchers.waitForSlot(tree, toSlot(6), AbortSignal.abort())).rejects.toThrow('aborted');
    slots.next = [6];
    await watchers.waitForSlot(tree, toSlot(6));
    expect(watchers.waiting).toBe(0);
  });

  it('fail with the error of the store, and later requests read again', async () => {
    const watchers = create();
    slots.next = [5, new Error('Redis is unavailable'), 7];
    const waits = range(1, 10).map(() => watchers.waitForSlot(tree, toSlot(7)));
    for (const wait of waits) await expect(passTime(wait)).rejects.toThrow('Redis is unavailable');
    await watchers.waitForSlot(tree, toSlot(7));
    expect(watchers.waiting).toBe(0);
  });

  it('of one tree do not hold up those of another', async () => {
    const watchers = create();
    slots.byTree.set(keyOf(tree), 5).set(keyOf(other), 9);
    const behind = watchers.waitForSlot(tree, toSlot(9));
    await watchers.waitForSlot(other, toSlot(9));
    expect(watchers.waiting).toBe(1);
    slots.byTree.set(keyOf(tree), 9);
    await passTime(behind);
  });
});
