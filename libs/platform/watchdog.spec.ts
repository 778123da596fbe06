import { ManualTime } from '@fresnel/testing/generic';
import { reportProgress, waitForOthers } from './progress';
import { sleep, useTime } from './time';
import { Watchdog } from './watchdog';

describe('a watchdog', () => {
  let time: ManualTime;
  let restoreTime: () => void;
  let watchdog: Watchdog;
  let end: () => void;
  const event = () => new Promise<void>((resolve) => (end = resolve));
  beforeEach(() => {
    time = new ManualTime();
    restoreTime = useTime(time);
    watchdog = new Watchdog();
  });
  afterEach(() => {
    restoreTime();
  });

  it('reports work that has not moved for five minutes, until it ends', async () => {
    const working = watchdog.watch('the loop', event);
    time.advance(300_000);
    expect(watchdog.findStuck()).toEqual([]);
    time.advance(1_000);
    expect(watchdog.findStuck()).toEqual(['the loop has not moved for 301 s']);
    end();
    await working;
    expect(watchdog.findStuck()).toEqual([]);
  });

  it('reports no work that has failed', async () => {
    await expect(watchdog.watch('the loop', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    time.advance(301_000);
    expect(watchdog.findStuck()).toEqual([]);
  });

  it('reports no work that moves, in whatever it calls', async () => {
    const step = async () => {
      await event();
      reportProgress();
    };
    const working = watchdog.watch('the loop', async () => {
      await step();
      await event();
    });
    time.advance(200_000);
    end();
    await new Promise(setImmediate);
    time.advance(200_000);
    expect(watchdog.findStuck()).toEqual([]);
    time.advance(101_000);
    expect(watchdog.findStuck()).toHaveLength(1);
    end();
    await working;
  });

  it('reports no work that pauses, also for longer', async () => {
    const working = watchdog.watch('the loop', () => sleep(3_600_000));
    time.advance(3_599_000);
    expect(watchdog.findStuck()).toEqual([]);
    time.advance(1_000);
    await working;
  });

  it('counts from the end of a pause', async () => {
    const working = watchdog.watch('the loop', async () => {
      await sleep(3_600_000);
      await event();
    });
    time.advance(3_600_000);
    await new Promise(setImmediate);
    time.advance(301_000);
    expect(watchdog.findStuck()).toEqual(['the loop has not moved for 301 s']);
    end();
    await working;
  });

  it('reports no work that waits for others', async () => {
    const working = watchdog.watch('the loop', async () => {
      await waitForOthers(event);
      await event();
    });
    time.advance(3_600_000);
    expect(watchdog.findStuck()).toEqual([]);
    end();
    await new Promise(setImmediate);
    time.advance(301_000);
    expect(watchdog.findStuck()).toHaveLength(1);
    end();
    await working;
  });

  it('does not count the progress of other work', async () => {
    const hanging = watchdog.watch('the loop', event);
    const other = watchdog.watch('another', () => sleep(600_000));
    time.advance(301_000);
    expect(watchdog.findStuck()).toEqual(['the loop has not moved for 301 s']);
    time.advance(600_000);
    end();
    await Promise.all([hanging, other]);
  });
});
