import { ManualTime } from '@fresnel/testing/generic';
import { after, every, now, sleep, timeout, useTime, wallClock } from '.';

describe('the time of the system', () => {
  it('passes', async () => {
    const [startedAt, wallStartedAt] = [now(), wallClock()];
    await sleep(5);
    expect(now()).toBeGreaterThan(startedAt);
    expect(wallClock()).toBeGreaterThan(wallStartedAt);
    expect(Math.abs(wallClock() - Date.now())).toBeLessThan(60_000);
  });

  it('makes no canceled call', async () => {
    const calls: string[] = [];
    const canceled = after(1, () => calls.push('canceled'));
    canceled.cancel();
    await new Promise<void>((resolve) => after(2, resolve));
    expect(calls).toEqual([]);
  });
});

describe('replaced time', () => {
  let time: ManualTime;
  let restore: () => void;
  let calls: number[];
  const note = () => calls.push(now());
  beforeEach(() => {
    time = new ManualTime(1_000);
    restore = useTime(time);
    calls = [];
  });
  afterEach(() => {
    restore();
  });

  it('is the time of both clocks until it is restored', () => {
    time.advance(500);
    expect([now(), wallClock()]).toEqual([1_500, 1_500]);
    restore();
    expect(wallClock()).toBeGreaterThan(1_500);
  });

  it('makes a call once', () => {
    after(100, note);
    time.advance(99);
    expect(calls).toEqual([]);
    time.advance(1_000);
    expect(calls).toEqual([1_100]);
  });

  it('makes a call at each interval until it is canceled', () => {
    const beats = every(100, note);
    time.advance(250);
    expect(calls).toEqual([1_100, 1_200]);
    beats.cancel();
    time.advance(250);
    expect([calls.length, time.pending]).toEqual([2, 0]);
  });

  it('ends an interval that its own call cancels', () => {
    const beats = every(100, () => {
      note();
      beats.cancel();
    });
    time.advance(500);
    expect(calls).toEqual([1_100]);
  });

  it('ends a sleep', async () => {
    const slept = sleep(100).then(note);
    time.advance(100);
    await slept;
    expect(calls).toEqual([1_100]);
  });

  it('ends a sleep early when its signal aborts, with the error of Node', async () => {
    const stop = new AbortController();
    const slept = sleep(100, stop.signal);
    const reason = new Error('shutdown');
    stop.abort(reason);
    await expect(slept).rejects.toMatchObject({ name: 'AbortError', code: 'ABORT_ERR', cause: reason });
    expect(time.pending).toBe(0);
  });

  it('starts no sleep on an aborted signal', async () => {
    await expect(sleep(100, AbortSignal.abort())).rejects.toThrow('aborted');
    expect(time.pending).toBe(0);
  });

  it('aborts the signal of a timeout', () => {
    const signal = timeout(100);
    time.advance(99);
    expect(signal.aborted).toBe(false);
    time.advance(1);
    expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
  });
});
