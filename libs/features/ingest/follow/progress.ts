import { type Logger } from '@fresnel/platform';
import { now } from '@fresnel/platform/time';

/** Ingest is catching up when it is at least this many slots behind the tip. */
const MIN_CATCH_UP_SLOTS = 50;

export interface ProgressOptions {
  /** Gets one line that is rewritten; null: the log gets a line at each interval. */
  terminal: NodeJS.WriteStream | null;
  intervalMs: number;
}

/** Reports the progress of a catch-up: slots per second, slots to go, time left. */
export class Progress {
  private startedAt = 0;
  private startSlot = 0;
  private slot = 0;
  private blocks = 0;
  private reportedAt = 0;
  private isCatchingUp = false;

  constructor(
    private readonly options: ProgressOptions,
    private readonly logger: Logger,
  ) {}

  /** @param slot the newest published slot @param tip the newest slot of the chain */
  advance(slot: number, tip: number): void {
    this.blocks++;
    this.slot = slot;
    const toGo = tip - slot;
    if (!this.isCatchingUp) {
      if (toGo >= MIN_CATCH_UP_SLOTS) this.start(slot);
      return;
    }
    if (toGo <= 0) this.finish();
    else if (now() - this.reportedAt >= this.options.intervalMs) this.report(toGo);
  }

  private start(slot: number): void {
    this.isCatchingUp = true;
    this.startedAt = this.reportedAt = now();
    this.startSlot = slot;
    this.blocks = 0;
  }

  private report(toGo: number): void {
    this.reportedAt = now();
    const seconds = (now() - this.startedAt) / 1000;
    const slotsPerSecond = (this.slot - this.startSlot) / seconds;
    const etaSeconds = slotsPerSecond > 0 ? Math.ceil(toGo / slotsPerSecond) : null;
    const { terminal } = this.options;
    if (terminal) {
      const eta = etaSeconds === null ? 'unknown' : formatDuration(etaSeconds);
      terminal.write(
        `\r\x1b[Kcatching up: slot ${this.slot}, ${Math.round(slotsPerSecond)} slots/s, ${toGo} to go, ${eta} left`,
      );
      return;
    }
    const values = { slot: this.slot, slotsPerSecond: Math.round(slotsPerSecond), slotsToGo: toGo, etaSeconds };
    this.logger.info(values, 'catching up');
  }

  private finish(): void {
    this.isCatchingUp = false;
    const seconds = (now() - this.startedAt) / 1000;
    this.options.terminal?.write('\r\x1b[K');
    const values = { slot: this.slot, blocks: this.blocks, seconds: Math.round(seconds * 10) / 10 };
    this.logger.info(values, 'caught up with the chain');
  }
}

function formatDuration(seconds: number): string {
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}
