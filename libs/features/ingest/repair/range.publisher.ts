import { type Bus } from '@fresnel/adapters/bus';
import { type BlockSource } from '@fresnel/adapters/chain';
import { SLOT_EVENTS, type SlotEventsMessage } from '@fresnel/contracts/messages';
import { FresnelError, type Slot, toSlot } from '@fresnel/domain/primitives';
import { type SlotEvents } from '@fresnel/domain/state';
import { inSpan, type Logger } from '@fresnel/platform';
import { now } from '@fresnel/platform/time';
import { type Backpressure } from '../follow/backpressure';
import { PUBLISHED_BLOCK_WINDOW } from '../follow/resume-point';
import { type SlotReader } from '../read/slot.reader';
import { type RangeIndex } from './range-index';

/** Slots, both included. */
export interface SlotRange {
  from: Slot;
  to: Slot;
}

/** The range contains blocks that a fork may still orphan. */
export class RangeNotFinalError extends FresnelError {
  readonly code = 'range-not-final';
  readonly isRetryable = false;
}

/** The range is not a part of the index. */
export class RangeNotIndexedError extends FresnelError {
  readonly code = 'range-not-indexed';
  readonly isRetryable = false;
}

/** Blocks of one request. */
const BATCH = 64;
const LOG_INTERVAL_MS = 10_000;

/**
 * Publishes the events of a range of slots to `slot-events`, also if they were published before. Facts can be applied in any
 * order and any number of times, so several ranges can be published at once, beside an ingest that follows the chain.
 *
 * It does not publish to `tree-updates`, which are applied in the order of the chain.
 */
export class RangePublisher {
  private batch: SlotEvents[] = [];
  private blocks = 0;
  private loggedAt = now();

  constructor(
    private readonly source: BlockSource,
    private readonly bus: Bus,
    private readonly reader: SlotReader,
    private readonly backpressure: Backpressure,
    private readonly index: RangeIndex,
    private readonly logger: Logger,
  ) {}

  /**
   * Publishes the range, or the part of it up to the time when the signal aborts.
   *
   * @returns the first slot that is not published: the one after the range if it is complete
   * @throws RangeNotFinalError, RangeNotIndexedError, and the errors of the source and the index
   */
  async publish({ from, to }: SlotRange, signal: AbortSignal): Promise<Slot> {
    let next = from;
    this.logger.info({ from, to }, 'publishing a range of slots');
    try {
      requireIndexed(from, await this.index.findFirstSlot(await this.source.identify(signal), signal));
      requireFinal(to, await this.source.findTip(signal));
      for await (const block of this.source.blocksFrom(from, signal)) {
        if (block.slot > to) break;
        this.batch.push(await this.reader.read(block, signal));
        if (this.batch.length >= BATCH || block.slot === to) next = await this.flush(next, to, signal);
        if (block.slot === to) break;
      }
      next = await this.flush(next, to, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    if (signal.aborted) return next;
    this.logger.info({ from, to, blocks: this.blocks }, 'range of slots published');
    return toSlot(to + 1);
  }

  /** Publishes the batch. @returns the slot after it */
  private async flush(next: Slot, to: Slot, signal: AbortSignal): Promise<Slot> {
    const last = this.batch.at(-1);
    if (!last) return next;
    await this.backpressure.wait(signal);
    const messages = this.batch.map((events): SlotEventsMessage => ({ kind: 'slot', events, isOfRange: true }));
    const attributes = { 'fresnel.slot': last.slot, 'messaging.batch.message_count': messages.length };
    await inSpan('publish range', { kind: 'producer', attributes }, () =>
      this.bus.publish(SLOT_EVENTS, messages, signal),
    );
    this.blocks += this.batch.length;
    this.batch = [];
    if (now() - this.loggedAt >= LOG_INTERVAL_MS) {
      this.loggedAt = now();
      this.logger.info({ slot: last.slot, to, blocks: this.blocks }, 'publishing a range of slots');
    }
    return toSlot(last.slot + 1);
  }
}

/** Ingest reverts the blocks that it has published itself. It does not know those of a range. */
function requireFinal(to: Slot, tip: Slot): void {
  if (to + PUBLISHED_BLOCK_WINDOW <= tip) return;
  throw new RangeNotFinalError(
    `slot ${to} is too close to the chain tip ${tip}: a range must end at least ${PUBLISHED_BLOCK_WINDOW} slots before it`,
  );
}

/** Facts below the first slot would be visible without what follows from them: balances and lists of signatures. */
function requireIndexed(from: Slot, firstSlot: Slot | null): void {
  if (firstSlot !== null && from >= firstSlot) return;
  throw new RangeNotIndexedError(
    firstSlot === null
      ? 'the index has no first slot yet: start ingest, which publishes it, and then publish ranges'
      : `slot ${from} is before the first slot of this index, ${firstSlot}: start a new index with INGEST_START_SLOT=${from} and an empty database to include it`,
  );
}
