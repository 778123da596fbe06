import { findIndexerStatus, Reader } from '@fresnel/adapters/store-read';
import { createLateGauge, Registry } from '@fresnel/platform';
import { wallClock } from '@fresnel/platform/time';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { withDeadline } from '../responses/deadline';

/** A scrape also has to succeed while the database is slow. */
const TIMEOUT_MS = 500;

/** Measures how old the indexed slot is. While the database does not answer, the age of the last known block grows. */
@Injectable()
export class IndexLagMetric implements OnModuleInit {
  /** Unix seconds. */
  private blockTime: number | null = null;
  /** The query in progress; a slow database gets no second one. */
  private reading: Promise<void> | null = null;

  constructor(
    private readonly reader: Reader,
    private readonly registry: Registry,
  ) {}

  onModuleInit(): void {
    const readLag = () => this.readLag();
    createLateGauge({
      name: 'fresnel_index_lag_seconds',
      help: 'Age of the block at the indexed slot: how old the data of an answer are',
      registers: [this.registry],
      async collect() {
        const lag = await readLag();
        if (lag !== null) this.set(lag);
      },
    });
  }

  private async readLag(): Promise<number | null> {
    this.reading ??= this.readBlockTime().finally(() => (this.reading = null));
    await withDeadline(this.reading, TIMEOUT_MS).catch(() => undefined);
    return this.blockTime === null ? null : wallClock() / 1000 - this.blockTime;
  }

  /** The last known time stays while the database does not answer. */
  private async readBlockTime(): Promise<void> {
    const status = await findIndexerStatus(this.reader).catch(() => null);
    this.blockTime = status?.indexedBlockTime ?? this.blockTime;
  }
}
