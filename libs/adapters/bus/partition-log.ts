import { EventEmitter, once } from 'node:events';
import { OffsetOutOfRangeError } from './bus';

/** A bounded list of records that forgets what every group has read. */
export class PartitionLog {
  private readonly records: unknown[] = [];
  private readonly readers = new Map<string, LogReader>();
  private readonly changes = new EventEmitter().setMaxListeners(0);

  constructor(
    private readonly capacity: number,
    /** Offset of the first record that is kept. */
    private start: bigint,
  ) {}

  /** Offset of the record that comes next. */
  get end(): bigint {
    return this.start + BigInt(this.records.length);
  }

  /** Waits while the log is full. @throws the signal's reason */
  async append(record: unknown, signal: AbortSignal): Promise<void> {
    while (this.records.length >= this.capacity) {
      signal.throwIfAborted();
      await this.waitForChange(signal);
    }
    this.records.push(record);
    this.changes.emit('change');
  }

  /** @throws OffsetOutOfRangeError */
  join(group: string, position: bigint | null): LogReader {
    const at = position ?? this.start;
    if (at < this.start || at > this.end) {
      throw new OffsetOutOfRangeError(`${group} wants offset ${at}, the log holds ${this.start} to ${this.end}`);
    }
    const reader = new LogReader(this, at);
    this.readers.set(group, reader);
    this.changes.emit('change');
    return reader;
  }

  slice(from: bigint, count: number): unknown[] {
    const at = Number(from - this.start);
    return this.records.slice(at, at + count);
  }

  /** Settles when records came or went, or when the signal says stop. */
  async waitForChange(signal: AbortSignal): Promise<void> {
    await once(this.changes, 'change', { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }

  /** Settles when every group has read all records, or when the signal says stop. */
  async waitUntilEmpty(signal: AbortSignal): Promise<void> {
    while (this.records.length > 0 && !signal.aborted) await this.waitForChange(signal);
  }

  /** Settles when a group has read what comes before an offset. @throws the signal's reason */
  async waitUntilRead(group: string, end: bigint, signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const reader = this.readers.get(group);
      if (reader && reader.position >= end) return;
      await this.waitForChange(signal);
    }
  }

  /** Drops what every group has behind it. */
  trim(): void {
    const positions = [...this.readers.values()].map(({ position }) => position);
    const least = positions.reduce((a, b) => (a < b ? a : b));
    this.records.splice(0, Number(least - this.start));
    this.start = least;
    this.changes.emit('change');
  }
}

/** One group's place in the log. */
export class LogReader {
  constructor(
    private readonly log: PartitionLog,
    public position: bigint,
  ) {}

  /** Waits for at least one record. Empty only when the signal says stop. */
  async read(maxCount: number, signal: AbortSignal): Promise<unknown[]> {
    while (!signal.aborted) {
      const records = this.log.slice(this.position, maxCount);
      if (records.length > 0) return records;
      await this.log.waitForChange(signal);
    }
    return [];
  }

  moveTo(position: bigint): void {
    this.position = position;
    this.log.trim();
  }
}
