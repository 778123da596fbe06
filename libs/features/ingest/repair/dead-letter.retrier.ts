import { type Bus } from '@fresnel/adapters/bus';
import { type BlockSource } from '@fresnel/adapters/chain';
import { type DeadLetterStore, type StoredDeadLetter } from '@fresnel/adapters/store-write';
import { type TreeRepublications } from '@fresnel/adapters/tree-store';
import { SLOT_EVENTS, type SlotEventsMessage } from '@fresnel/contracts/messages';
import { isUnreadable } from '@fresnel/domain/events';
import { FresnelError, messageOf, type Slot, toBase58, toSlot } from '@fresnel/domain/primitives';
import { foldTreeChanges, readPlaceProblem, type SlotEvents } from '@fresnel/domain/state';
import { type Logger } from '@fresnel/platform';
import { sleep } from '@fresnel/platform/time';
import { type DeadLetterParser, ONE_LOOKUP } from './dead-letter.parser';
import { type DeadLetterMetrics, type RetryOutcome } from './dead-letter.metrics';
import { PUBLISHED_BLOCK_WINDOW } from '../follow/resume-point';
import { type SlotReader } from '../read/slot.reader';

export interface RetryOptions {
  /** Interval at which due dead letters are looked for. */
  intervalMs: number;
  /** Pause before the second retry of a dead letter. It doubles with each retry, up to `maxPauseMs`. */
  firstPauseMs: number;
  maxPauseMs: number;
}

/** What the retrier works with. */
interface RetrierParts {
  letters: Pick<DeadLetterStore, 'count' | 'takeDue'>;
  source: BlockSource;
  bus: Bus;
  letterParser: DeadLetterParser;
  slotReader: SlotReader;
  republications: Pick<TreeRepublications, 'request'>;
  logger: Logger;
  metrics: DeadLetterMetrics;
}

/** Dead letters that are retried in one interval. */
const MAX_LETTERS = 32;

/**
 * Retries dead letters, and publishes their slots to `slot-events` again when they can be read further than before.
 *
 * ```
 * due ──► read again ── other reasons, or none ──► publish the slot ──► projectors complete it, and delete the dead letter
 *  ▲          │ same reasons, or a tree cannot be read
 *  └─ pause ◄─┘
 * ```
 *
 * The text of a dead letter is read, and also the block if the text is not a whole transaction. If the block changes trees,
 * their operations are published again too, from this slot on: those after a missing one were not applied.
 *
 * Only final blocks are retried: ingest reverts those that may still be orphaned. A process that ends between two steps loses
 * nothing, because the next retry is scheduled before the first step.
 */
export class DeadLetterRetrier {
  constructor(
    private readonly parts: RetrierParts,
    private readonly options: RetryOptions,
  ) {}

  /** Retries until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        await this.retryDue(signal);
        this.parts.metrics.letters.set(await this.parts.letters.count());
        await sleep(this.options.intervalMs, signal);
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof FresnelError) || !error.isRetryable) throw error;
        this.parts.metrics.letters.remove();
        this.parts.logger.warn({ reason: error.message }, 'dead letters cannot be retried now');
        await sleep(this.options.intervalMs, signal).catch(() => undefined);
      }
    }
  }

  private async retryDue(signal: AbortSignal): Promise<void> {
    const { tip } = this.parts.source;
    if (!tip || tip.slot < PUBLISHED_BLOCK_WINDOW) return;
    const maxSlot = toSlot(tip.slot - PUBLISHED_BLOCK_WINDOW);
    const { firstPauseMs, maxPauseMs } = this.options;
    const due = await this.parts.letters.takeDue({ limit: MAX_LETTERS, maxSlot, firstPauseMs, maxPauseMs });
    const bySlot = new Map<Slot, StoredDeadLetter[]>();
    for (const letter of due) bySlot.set(letter.slot, [...(bySlot.get(letter.slot) ?? []), letter]);
    for (const letters of bySlot.values()) await this.retrySlot(letters, signal);
  }

  /** @param letters of one slot */
  private async retrySlot(letters: readonly StoredDeadLetter[], signal: AbortSignal): Promise<void> {
    const [{ slot }] = letters;
    let outcome: RetryOutcome;
    try {
      const canBeReadFurther = await this.findReadable(letters, signal);
      const mayBeWholeNow = letters.some(({ reasons }) => reasons.some(dependsOnSource));
      const events = canBeReadFurther || mayBeWholeNow ? await this.readSlot(slot, signal) : null;
      const isFurther =
        events !== null && (canBeReadFurther || letters.some((letter) => isReadFurther(letter, events)));
      if (isFurther) await this.publish(events, signal);
      outcome = isFurther ? 'published' : 'unchanged';
    } catch (error) {
      if (signal.aborted || !(error instanceof FresnelError)) throw error;
      outcome = 'failed';
      this.parts.logger.warn({ slot, reason: messageOf(error) }, 'retry of a dead letter failed');
    }
    this.parts.metrics.retries.inc({ outcome }, letters.length);
  }

  private async findReadable(letters: readonly StoredDeadLetter[], signal: AbortSignal): Promise<boolean> {
    for (const letter of letters) {
      const reasons = await this.parts.letterParser.readReasons(letter, signal);
      if (reasons !== null && !isSame(reasons, letter.reasons)) return true;
    }
    return false;
  }

  private async readSlot(slot: Slot, signal: AbortSignal): Promise<SlotEvents> {
    const block = await this.parts.source.findBlock(slot, signal);
    if (!block) throw new MissingBlockError(`the node reports slot ${slot} as skipped`);
    return this.parts.slotReader.read(block, signal, ONE_LOOKUP);
  }

  private async publish(events: SlotEvents, signal: AbortSignal): Promise<void> {
    await this.requestTreeOperations(events);
    await this.parts.bus.publish<SlotEventsMessage>(SLOT_EVENTS, [{ kind: 'slot', events, isOfRange: true }], signal);
    const { slot, blockhash, deadLetters } = events;
    const values = { slot, blockhash: toBase58(blockhash), deadLetters: deadLetters.length };
    this.parts.logger.info(values, 'slot published again: a dead letter can be read further');
  }

  /** The slot comes last: with it the dead letter disappears, and nothing would request the operations after a crash. */
  private async requestTreeOperations(events: SlotEvents): Promise<void> {
    const changed = foldTreeChanges(events).filter(({ changes }) => changes.length > 0);
    const trees = changed.map(({ tree }) => tree.tree);
    if (trees.length > 0) await this.parts.republications.request(trees, events.slot);
  }
}

/** The node does not return a block that is stored. */
class MissingBlockError extends FresnelError {
  readonly code = 'missing-block';
  readonly isRetryable = true;
}

/** Whether a reason may disappear when the block is read again. */
function dependsOnSource(reason: string): boolean {
  return isUnreadable(reason) || readPlaceProblem(reason) !== null;
}

/** Whether what the node gives now is read otherwise than the stored text. */
function isReadFurther({ index, reasons }: StoredDeadLetter, { deadLetters }: SlotEvents): boolean {
  return !isSame(deadLetters.find((letter) => letter.index === index)?.reasons ?? [], reasons);
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, at) => text === other[at]);
}
