import { EventEmitter, once } from 'node:events';
import { type SpanContext, waitForOthers } from '@fresnel/platform';
import { OffsetOutOfRangeError } from './bus';

/** A message, its approximate memory, and the span in which it was published. */
export interface LoggedMessage {
  message: unknown;
  bytes: number;
  publisher: SpanContext | undefined;
}

/** What a log contains at most. A record that is larger than `bytes` is in the log alone. */
export interface LogCapacity {
  records: number;
  /** The number of records at first. It doubles with each batch that was read, up to `records`. */
  firstRecords: number;
  bytes: number;
}

/** A bounded list of records. Records that every group has read are removed. */
export class PartitionLog {
  private readonly records: LoggedMessage[] = [];
  private readonly cursors = new Map<string, LogCursor>();
  /** The sum over all records. */
  private bytes = 0;
  /** Number of records at which the producer waits now. */
  private maxRecords: number;
  private readonly changes = new EventEmitter().setMaxListeners(0);

  constructor(
    private readonly capacity: LogCapacity,
    /** Offset of the first record in the list. */
    private start: bigint,
  ) {
    this.maxRecords = capacity.firstRecords;
  }

  /** Offset of the next record. */
  get end(): bigint {
    return this.start + BigInt(this.records.length);
  }

  /** Waits while the log is full. @throws the signal's reason */
  async append(record: LoggedMessage, signal: AbortSignal): Promise<void> {
    while (this.isFullFor(record)) {
      signal.throwIfAborted();
      await this.waitForChange(signal);
    }
    this.records.push(record);
    this.bytes += record.bytes;
    this.changes.emit('change');
  }

  /** @param position null: the group has read nothing, and starts at offset 0 @throws OffsetOutOfRangeError */
  join(group: string, position: bigint | null): LogCursor {
    const at = position ?? 0n;
    if (at < this.start || at > this.end) {
      throw new OffsetOutOfRangeError(`${group} has position ${at}, but the log contains ${this.start} to ${this.end}`);
    }
    const cursor = new LogCursor(this, at);
    this.cursors.set(group, cursor);
    this.changes.emit('change');
    return cursor;
  }

  slice(from: bigint, count: number): LoggedMessage[] {
    const at = Number(from - this.start);
    return this.records.slice(at, at + count);
  }

  /** Resolves when records were added or removed, or when the signal aborts. */
  async waitForChange(signal: AbortSignal): Promise<void> {
    await waitForOthers(() => once(this.changes, 'change', { signal })).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }

  /** Resolves when every group has read all records, or when the signal aborts. */
  async waitUntilEmpty(signal: AbortSignal): Promise<void> {
    while (!this.isRead() && !signal.aborted) await this.waitForChange(signal);
  }

  /** Resolves when a group has read all records before an offset. @throws the signal's reason */
  async waitUntilRead(group: string, end: bigint, signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const cursor = this.cursors.get(group);
      if (cursor && cursor.position >= end) return;
      await this.waitForChange(signal);
    }
  }

  /** The number of records that a group has not read. */
  lagOf(group: string): number {
    return Number(this.end - (this.cursors.get(group)?.position ?? this.start));
  }

  /** Removes records that every group has read. */
  trim(): void {
    const positions = [...this.cursors.values()].map(({ position }) => position);
    const min = positions.reduce((a, b) => (a < b ? a : b));
    for (const { bytes } of this.records.splice(0, Number(min - this.start))) this.bytes -= bytes;
    this.start = min;
    this.maxRecords = Math.min(this.maxRecords * 2, this.capacity.records);
    this.changes.emit('change');
  }

  /** A group may join behind records that it has applied before. */
  private isRead(): boolean {
    const cursors = [...this.cursors.values()];
    return this.records.length === 0 || (cursors.length > 0 && cursors.every(({ position }) => position === this.end));
  }

  private isFullFor({ bytes }: LoggedMessage): boolean {
    if (this.records.length === 0) return false;
    return this.records.length >= this.maxRecords || this.bytes + bytes > this.capacity.bytes;
  }
}

/** The position of a group in the log. */
class LogCursor {
  constructor(
    private readonly log: PartitionLog,
    public position: bigint,
  ) {}

  /** Waits for at least one record. Empty only when the signal aborts. */
  async read(maxCount: number, signal: AbortSignal): Promise<LoggedMessage[]> {
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
