import { findIndexedBlockTime, Reader } from '@fresnel/adapters/store-read';
import { createLateGauge, Registry } from '@fresnel/platform';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { withDeadline } from '../responses/deadline';

/** A scrape does not wait as long as a call. */
const TIMEOUT_MS = 2_000;

/** Measures how old the indexed slot is. While the database does not answer, the age of the last known block grows. */
@Injectable()
export class IndexLagMetric implements OnModuleInit {
  /** Unix seconds. */
  private blockTime: number | null = null;

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
    const found = await withDeadline(findIndexedBlockTime(this.reader), TIMEOUT_MS).catch(() => null);
    this.blockTime = found ?? this.blockTime;
    return this.blockTime === null ? null : Date.now() / 1000 - this.blockTime;
  }
}
