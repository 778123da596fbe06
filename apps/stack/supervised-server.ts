import { type Logger } from '@fresnel/platform';
import { now, sleep } from '@fresnel/platform/time';

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;
/** A process that ran this long did not fail during its start. The next pause is the first pause again. */
const STABLE_AFTER_MS = 30_000;

/** A started process of a service or a server. */
export interface RunningProcess {
  /** Resolves when the process has exited. @returns details for the log */
  exited(): Promise<object | undefined>;
  stop(): Promise<void>;
}

/** Starts the process. A server gets the same port and data each time. */
export type StartProcess = () => Promise<RunningProcess>;

/** A service or server that is restarted, after growing pauses, whenever its process exits. */
export class SupervisedServer {
  private readonly end = new AbortController();
  private readonly supervision: Promise<void>;

  private constructor(
    private current: RunningProcess,
    private readonly labels: object,
    private readonly start: StartProcess,
    private readonly logger: Logger,
  ) {
    this.supervision = this.supervise();
  }

  /**
   * Starts the process and keeps it running until `stop`.
   *
   * @param labels name the process in the log
   * @throws the error of `start`, if the first start fails
   */
  static async start(labels: object, start: StartProcess, logger: Logger): Promise<SupervisedServer> {
    return new SupervisedServer(await start(), labels, start, logger);
  }

  /** Stops the process for good. */
  async stop(): Promise<void> {
    this.end.abort();
    await this.supervision;
    await this.current.stop();
  }

  private async supervise(): Promise<void> {
    const { signal } = this.end;
    const isStopping = () => signal.aborted;
    const stopped = new Promise<undefined>((done) => {
      signal.addEventListener('abort', () => {
        done(undefined);
      });
    });
    let pauseMs = FIRST_PAUSE_MS;
    for (;;) {
      const startedAt = now();
      const cause = await Promise.race([this.current.exited(), stopped]);
      if (isStopping()) return;
      if (now() - startedAt > STABLE_AFTER_MS) pauseMs = FIRST_PAUSE_MS;
      this.logger.error({ ...this.labels, ...cause, restartInMs: pauseMs }, 'process exited, restarting it');
      do {
        await sleep(pauseMs, signal).catch(() => undefined);
        if (isStopping()) return;
        pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
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
