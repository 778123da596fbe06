import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger } from '@fresnel/platform';

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

/** A server as it runs now. */
export interface RunningServer {
  whenGone(): Promise<void>;
  stop(): Promise<void>;
}

/** A server that is started again, where its data are, whenever it ends by itself. */
export class KeptServer {
  private readonly end = new AbortController();
  private readonly kept: Promise<void>;

  /**
   * @param current runs already
   * @param start starts it again on the same port and data
   */
  constructor(
    private readonly name: string,
    private current: RunningServer,
    private readonly start: () => Promise<RunningServer>,
    private readonly logger: Logger,
  ) {
    this.kept = this.keep();
  }

  async stop(): Promise<void> {
    this.end.abort();
    await this.kept;
    await this.current.stop();
  }

  private async keep(): Promise<void> {
    const ended = new Promise<void>((done) => {
      this.end.signal.addEventListener('abort', () => {
        done();
      });
    });
    for (;;) {
      await Promise.race([this.current.whenGone(), ended]);
      if (this.end.signal.aborted) return;
      this.logger.error({ server: this.name }, 'a server ended, starting it again');
      await this.restart();
    }
  }

  private async restart(): Promise<void> {
    for (let pauseMs = FIRST_PAUSE_MS; !this.end.signal.aborted; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      try {
        this.current = await this.start();
        this.logger.info({ server: this.name }, 'server is back');
        return;
      } catch (error) {
        this.logger.error({ server: this.name, error }, 'a server cannot be started yet');
        await sleep(pauseMs, undefined, { signal: this.end.signal }).catch(() => undefined);
      }
    }
  }
}
