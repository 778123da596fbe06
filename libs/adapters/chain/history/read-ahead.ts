import { type HistoryPage, type SlotRange } from './history-source';
import { partsOf } from './parts';

export interface ReadAheadOptions {
  /** Slots of a part. Each part is read by one series of requests. */
  partSlots: number;
  /** Parts that are read at the same time. */
  concurrency: number;
  /** Bytes of pages that wait for their turn, about. A part whose turn has come is read whatever it has. */
  maxWaitingBytes: number;
}

/**
 * Reads a range in parts side by side, and delivers the pages in the order of the chain.
 *
 * ```
 *   parts       │ 0 ─ 9,999 │ 10,000 ─ 19,999 │ 20,000 ─ 29,999 │ …
 *   delivered   ████████▶   │                 │                 │      the first part: page by page, as they arrive
 *   waiting                 │ ███████         │ ███             │      the others: as many pages as there is room for
 * ```
 *
 * @param read reads one part
 * @throws what `read` throws, once the pages before it are delivered
 */
export async function* readAhead(
  range: SlotRange,
  read: (part: SlotRange, signal: AbortSignal) => AsyncIterable<HistoryPage>,
  { partSlots, concurrency, maxWaitingBytes }: ReadAheadOptions,
  signal: AbortSignal,
): AsyncIterable<HistoryPage> {
  const end = new AbortController();
  const stopped = AbortSignal.any([signal, end.signal]);
  const room = new Room(maxWaitingBytes);
  const parts: Part[] = [];
  const toRead = partsOf(range, partSlots)[Symbol.iterator]();
  const startParts = () => {
    while (parts.length < concurrency) {
      const { value: part, done } = toRead.next();
      if (done) return;
      parts.push(new Part(read(part, stopped), room, stopped));
    }
  };
  const wakeUp = () => {
    room.give(0);
  };
  stopped.addEventListener('abort', wakeUp);
  try {
    startParts();
    while (parts.length > 0) {
      yield* parts[0].deliver();
      parts.shift();
      startParts();
    }
  } finally {
    end.abort();
    await Promise.all(parts.map((part) => part.ended));
  }
}

/** The bytes that waiting pages may still take. */
class Room {
  private waiting: (() => void)[] = [];

  constructor(private bytes: number) {}

  get isFull(): boolean {
    return this.bytes <= 0;
  }

  take(bytes: number): void {
    this.bytes -= bytes;
  }

  give(bytes: number): void {
    this.bytes += bytes;
    for (const resolve of this.waiting.splice(0)) resolve();
  }

  whenChanged(): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push(resolve);
    });
  }
}

/** A part that is read in the background while there is room. */
class Part {
  private readonly pages: HistoryPage[] = [];
  private isDelivered = false;
  private hasEnded = false;
  private failure: { error: unknown } | null = null;
  private notify: () => void = () => undefined;
  readonly ended: Promise<void>;

  constructor(
    pages: AsyncIterable<HistoryPage>,
    private readonly room: Room,
    private readonly stopped: AbortSignal,
  ) {
    this.ended = this.read(pages);
  }

  async *deliver(): AsyncIterable<HistoryPage> {
    this.isDelivered = true;
    this.room.give(0); // it may be waiting for room
    for (;;) {
      const page = this.pages.shift();
      if (page) {
        this.room.give(bytesOf(page));
        yield page;
      } else if (this.failure) throw this.failure.error;
      else if (this.hasEnded) return;
      else {
        await new Promise<void>((resolve) => {
          this.notify = resolve;
        });
      }
    }
  }

  private hasToWait(): boolean {
    return !this.stopped.aborted && (this.isDelivered ? this.pages.length > 0 : this.room.isFull);
  }

  private async read(pages: AsyncIterable<HistoryPage>): Promise<void> {
    try {
      while (this.hasToWait()) await this.room.whenChanged();
      for await (const page of pages) {
        this.pages.push(page);
        this.room.take(bytesOf(page));
        this.notify();
        while (this.hasToWait()) await this.room.whenChanged();
      }
    } catch (error) {
      this.failure = { error };
    }
    this.hasEnded = true;
    this.notify();
  }
}

/** The text of a page, which is nearly all of its memory. */
function bytesOf({ slots }: HistoryPage): number {
  return slots.reduce((sum, { transactions }) => transactions.reduce((all, { json }) => all + json.length, sum), 0);
}
