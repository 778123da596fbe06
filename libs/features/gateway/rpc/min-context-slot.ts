import { findIndexedSlot, Reader } from '@fresnel/adapters/store-read';
import { InvalidParamsError } from '@fresnel/contracts/rpc';
import { type Slot } from '@fresnel/domain/primitives';
import { now, sleep } from '@fresnel/platform/time';
import { Inject, Injectable } from '@nestjs/common';
import { GATEWAY_OPTIONS, type GatewayOptions } from '../gateway.options';
import { MinContextSlotError } from '../responses/min-context-slot.error';

const POLL_MS = 50;

/**
 * Separates `minContextSlot` from the params of a method: any method with an object as params accepts it.
 *
 * @throws InvalidParamsError if it is not an unsigned integer
 */
export function splitMinContextSlot(params: unknown): { params: unknown; minContextSlot: number | null } {
  if (typeof params !== 'object' || params === null || Array.isArray(params)) return { params, minContextSlot: null };
  const { minContextSlot = null, ...rest } = params as { minContextSlot?: unknown };
  if (minContextSlot === null) return { params: rest, minContextSlot: null };
  if (typeof minContextSlot !== 'number' || !Number.isInteger(minContextSlot) || minContextSlot < 0)
    throw new InvalidParamsError('minContextSlot must be an unsigned integer');
  return { params: rest, minContextSlot };
}

/** Lets calls wait until a slot is indexed. All of them share one poll of the database. */
@Injectable()
export class IndexedSlotWaiter {
  private latest: Promise<Slot> | null = null;
  private readAt = -Infinity;

  constructor(
    @Inject(GATEWAY_OPTIONS) private readonly options: Pick<GatewayOptions, 'minContextSlotWaitMs'>,
    private readonly reader: Reader,
  ) {}

  /** @throws MinContextSlotError if the slot is not indexed in time; NothingIndexedError; StoreUnavailableError */
  async waitFor(slot: number): Promise<void> {
    const expiresAt = now() + this.options.minContextSlotWaitMs;
    for (;;) {
      const indexed = await this.findIndexedSlot();
      if (indexed >= slot) return;
      const remainingMs = expiresAt - now();
      if (remainingMs <= 0) throw new MinContextSlotError(indexed);
      await sleep(Math.min(POLL_MS, remainingMs));
    }
  }

  /** At most `POLL_MS` old. */
  private findIndexedSlot(): Promise<Slot> {
    const at = now();
    if (this.latest === null || at - this.readAt >= POLL_MS) {
      this.latest = findIndexedSlot(this.reader);
      this.readAt = at;
    }
    return this.latest;
  }
}
