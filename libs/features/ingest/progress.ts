import { type Logger } from '@fresnel/platform';

/** Less behind than this is no catch-up. */
const NOTABLE_SLOTS = 50;

export interface ProgressOptions {
  /** A terminal gets a line that changes; a log gets a line now and then. */
  terminal: NodeJS.WriteStream | null;
  intervalMs: number;
}

/** Tells how a catch-up goes: slots a second, slots to go, time left. */
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
    private readonly now: () => number,
  ) {}

  /** @param tip newest slot of the chain */
  advance(slot: number, tip: number): void {
    this.blocks++;
    this.slot = slot;
    const toGo = tip - slot;
    if (!this.isCatchingUp) {
      if (toGo >= NOTABLE_SLOTS) this.begin(slot);
      return;
    }
    if (toGo <= 0) this.finish();
    else if (this.now() - this.reportedAt >= this.options.intervalMs) this.report(toGo);
  }

  private begin(slot: number): void {
    this.isCatchingUp = true;
    this.startedAt = this.reportedAt = this.now();
    this.startSlot = slot;
    this.blocks = 0;
  }

  private report(toGo: number): void {
    this.reportedAt = this.now();
    const seconds = (this.now() - this.startedAt) / 1000;
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
    const seconds = (this.now() - this.startedAt) / 1000;
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
