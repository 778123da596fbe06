import { ManualTime } from '@fresnel/testing/generic';
import { BackgroundTask, BackgroundTasks } from './background-tasks';
import { whenAborted } from './shutdown';
import { useTime } from './time';

describe('background tasks', () => {
  it('start at application bootstrap, and finish their work at shutdown', async () => {
    const log: string[] = [];
    const task = new BackgroundTask(new BackgroundTasks(), async (signal) => {
      log.push('started');
      await whenAborted(signal);
      log.push('finished');
    });
    expect(log).toEqual([]);
    task.onApplicationBootstrap();
    await Promise.resolve();
    expect(log).toEqual(['started']);
    task.beforeApplicationShutdown();
    await task.onApplicationShutdown();
    expect(log).toEqual(['started', 'finished']);
  });

  it('end with the first error', async () => {
    const tasks = new BackgroundTasks();
    const endless = new BackgroundTask(tasks, whenAborted);
    const failing = new BackgroundTask(tasks, () => Promise.reject(new Error('broken')));
    for (const task of [endless, failing]) task.onApplicationBootstrap();
    await expect(tasks.whenEnded()).rejects.toThrow('broken');
    await failing.onApplicationShutdown();
  });

  it('end when all of them have ended', async () => {
    const tasks = new BackgroundTasks();
    const all = [
      new BackgroundTask(tasks, () => Promise.resolve()),
      new BackgroundTask(tasks, () => Promise.resolve()),
    ];
    let hasEnded = false;
    const ended = tasks.whenEnded().then(() => {
      hasEnded = true;
    });
    all[0].onApplicationBootstrap();
    await all[0].ended;
    expect(hasEnded).toBe(false);
    all[1].onApplicationBootstrap();
    await ended;
  });

  it('are stuck while one of their loops hangs', async () => {
    const time = new ManualTime();
    const restoreTime = useTime(time);
    const tasks = new BackgroundTasks();
    const task = new BackgroundTask(tasks, (signal, watchdog) => watchdog.watch('the loop', () => whenAborted(signal)));
    task.onApplicationBootstrap();
    await Promise.resolve();
    time.advance(301_000);
    expect(tasks.findStuck()).toEqual(['the loop has not moved for 301 s']);
    task.beforeApplicationShutdown();
    await task.onApplicationShutdown();
    expect(tasks.findStuck()).toEqual([]);
    restoreTime();
  });

  it('stop at once if they were never started', async () => {
    const task = new BackgroundTask(new BackgroundTasks(), () => Promise.reject(new Error('must not run')));
    task.beforeApplicationShutdown();
    await task.onApplicationShutdown();
  });
});
