import { type Logger } from '@fresnel/platform';
import { now } from '@fresnel/platform/time';

/** Ingest is catching up when it is at least this many slots behind the tip. */
const MIN_CATCH_UP_SLOTS = 50;

export interface ProgressOptions {
  /** Gets one line that is rewritten; null: the log gets a line at each interval. */
  terminal: NodeJS.WriteStream | null;
  intervalMs: number;
}

/** What is reported of a published block. */
export interface PublishedBlock {
  slot: number;
  /** Whether a history source attests it: then slots between two blocks are read, and most have no block here. */
  isHistory: boolean;
  /** That name the compression programs. */
  transactions: number;
}

/** Reports the progress of a catch-up: slots per second, slots to go, time left; of history also transactions. */
export class Progress {
  private startedAt = 0;
  private startSlot = 0;
  private slot = 0;
  private blocks = 0;
  private transactions = 0;
  private isHistory = false;
  private reportedAt = 0;
  private isCatchingUp = false;

  constructor(
    private readonly options: ProgressOptions,
    private readonly logger: Logger,
  ) {}

  /** @param block the newest published one @param tip the newest slot of the chain */
  advance({ slot, isHistory, transactions }: PublishedBlock, tip: number): void {
    // History is read at another rate than blocks.
    if (this.isCatchingUp && this.isHistory && !isHistory) this.finish();
    this.blocks++;
    this.transactions += transactions;
    this.slot = slot;
    this.isHistory = isHistory;
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
    this.blocks = this.transactions = 0;
  }

  private report(toGo: number): void {
    this.reportedAt = now();
    const seconds = (now() - this.startedAt) / 1000;
    const slotsPerSecond = (this.slot - this.startSlot) / seconds;
    const etaSeconds = slotsPerSecond > 0 ? Math.ceil(toGo / slotsPerSecond) : null;
    const activity = this.isHistory ? 'reading history' : 'catching up';
    const perSecond = Math.round(this.transactions / seconds);
    const { terminal } = this.options;
    if (terminal) {
      const eta = etaSeconds === null ? 'unknown' : formatDuration(etaSeconds);
      const read = this.isHistory ? `, ${this.transactions} transactions, ${perSecond}/s` : '';
      terminal.write(
        `\r\x1b[K${activity}: slot ${this.slot}, ${Math.round(slotsPerSecond)} slots/s, ${toGo} to go, ${eta} left${read}`,
      );
      return;
    }
    const values = { slot: this.slot, slotsPerSecond: Math.round(slotsPerSecond), slotsToGo: toGo, etaSeconds };
    const read = { transactions: this.transactions, transactionsPerSecond: perSecond };
    this.logger.info(this.isHistory ? { ...values, ...read } : values, activity);
  }

  private finish(): void {
    this.isCatchingUp = false;
    const seconds = Math.round((now() - this.startedAt) / 100) / 10;
    const { slot, blocks, transactions } = this;
    this.options.terminal?.write('\r\x1b[K');
    if (this.isHistory) this.logger.info({ slot, transactions, seconds }, 'history is read');
    else this.logger.info({ slot, blocks, seconds }, 'caught up with the chain');
  }
}

function formatDuration(seconds: number): string {
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}
