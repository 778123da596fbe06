import { type Logger, pauseAfter } from '@fresnel/platform';
import { now, wait } from '@fresnel/platform/time';

const BACKOFF = { firstMs: 250, longestMs: 5_000 };
/** A process that ran this long did not fail during its start. The next pause is the first pause again. */
const STABLE_AFTER_MS = 30_000;

/** A started process of a service or a server. */
export interface RunningProcess {
  /** Resolves when the process has exited. @returns details for the log */
  exited(): Promise<object>;
  stop(): Promise<void>;
}

/** Starts the process. A server gets the same port and data each time. */
export type StartProcess = () => Promise<RunningProcess>;

/** A service or server that is restarted, after growing pauses, whenever its process exits. */
export class RestartedProcess {
  private readonly end = new AbortController();
  private readonly restarting: Promise<void>;

  private constructor(
    private current: RunningProcess,
    private readonly labels: object,
    private readonly start: StartProcess,
    private readonly logger: Logger,
  ) {
    this.restarting = this.restart();
  }

  /**
   * Starts the process and keeps it running until `stop`.
   *
   * @param labels name the process in the log
   * @throws the error of `start`, if the first start fails
   */
  static async start(labels: object, start: StartProcess, logger: Logger): Promise<RestartedProcess> {
    return new RestartedProcess(await start(), labels, start, logger);
  }

  /** Stops the process for good. */
  async stop(): Promise<void> {
    this.end.abort();
    await this.restarting;
    await this.current.stop();
  }

  private async restart(): Promise<void> {
    const { signal } = this.end;
    const isStopping = () => signal.aborted;
    const stopped = new Promise<undefined>((done) => {
      signal.addEventListener('abort', () => {
        done(undefined);
      });
    });
    let exits = 0;
    for (;;) {
      const startedAt = now();
      const cause = await Promise.race([this.current.exited(), stopped]);
      if (isStopping()) return;
      if (now() - startedAt > STABLE_AFTER_MS) exits = 0;
      this.logger.error(
        { ...this.labels, ...cause, restartInMs: pauseAfter(exits + 1, BACKOFF) },
        'process exited, restarting it',
      );
      do {
        await wait(pauseAfter(++exits, BACKOFF), signal);
        if (isStopping()) return;
      } while (!(await this.tryToStart()));
    }
  }

  private async tryToStart(): Promise<boolean> {
    try {
      this.current = await this.start();
      return true;
    } catch (error) {
      this.logger.error({ ...this.labels, error }, 'process cannot be started');
      return false;
    }
  }
}
