import {
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { Watchdog } from './watchdog';

/**
 * Runs until the signal aborts, then finishes the batch in progress and resolves.
 *
 * @param watchdog watches the loops of the work: if one hangs, the process is not live
 */
export type Work = (signal: AbortSignal, watchdog: Watchdog) => Promise<void>;

/** Runs work from the application's bootstrap to its shutdown. A module provides a subclass, whose hooks Nest calls. */
export class BackgroundTask implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  /** Resolves when the work has ended, rejects when it fails. */
  readonly ended: Promise<void>;
  private readonly stop = new AbortController();
  private start: () => void = () => undefined;
  private isStarted = false;

  constructor(tasks: BackgroundTasks, work: Work) {
    tasks.add(this);
    this.ended = new Promise<void>((resolve) => {
      this.start = resolve;
    }).then(() => work(this.stop.signal, tasks.watchdog));
    this.ended.catch(() => undefined); // `BackgroundTasks.whenEnded` reports the error
  }

  onApplicationBootstrap(): void {
    this.isStarted = true;
    this.start();
  }

  beforeApplicationShutdown(): void {
    this.stop.abort();
  }

  async onApplicationShutdown(): Promise<void> {
    if (this.isStarted) await this.ended.catch(() => undefined);
  }
}

/** The background tasks of the application. `runApplication` ends the process when one of them fails. */
export class BackgroundTasks {
  private readonly tasks: BackgroundTask[] = [];
  readonly watchdog = new Watchdog();

  add(task: BackgroundTask): void {
    this.tasks.push(task);
  }

  /** The loops of tasks that hang, one sentence each. */
  findStuck(): string[] {
    return this.watchdog.findStuck();
  }

  /** Resolves when all tasks have ended, never if there is none. Rejects when one fails. */
  async whenEnded(): Promise<void> {
    if (this.tasks.length === 0) await new Promise(() => undefined);
    await Promise.all(this.tasks.map(({ ended }) => ended));
  }
}
