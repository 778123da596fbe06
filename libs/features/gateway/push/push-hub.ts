import { type BranchTransaction, Reader } from '@fresnel/adapters/store-read';
import { type SubscriptionFilter } from '@fresnel/contracts/rpc';
import { Counter, createLateGauge, Gauge, LOGGER, type Logger, Registry } from '@fresnel/platform';
import { now, wait } from '@fresnel/platform/time';
import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { FilterIndex } from './filter-index';
import { IndexReplacedError, MAX_LAG_MS, type Position, readStep, type Step } from './read-step';
import { PUSH_KINDS, type PushKind, StepMessages } from './step-messages';

/** How often the index is asked for news. Replicas of the database cannot notify. */
export const POLL_MS = 20;
/** Transactions of a step, which is sent in one turn of the event loop: followers join and leave between steps. */
const STEP_LIMIT = 100;
/** How often followers send slot messages that they have put off. */
const REMIND_MS = 200;
/** The pause after the database did not answer. */
export const RETRY_MS = 500;

/** A reader that the hub takes over. */
export interface HubFollower {
  readonly filter: SubscriptionFilter;
  /** Whether its client has too much unread. */
  readonly isClogged: boolean;
  /** Sends a step. @param matching those of its transactions that match */
  receive(messages: StepMessages, matching: readonly BranchTransaction[]): void;
  /** To call now and then while nothing is received. */
  remind(): void;
  /** Reads on without the hub. */
  readOn(position: Position): void;
  /** Ends its connection: the client has to find its place again. */
  restart(): void;
}

const NONE: readonly BranchTransaction[] = [];

/**
 * Reads what is new once for all subscriptions of this gateway, while there are any. It reads no old slots: a follower joins when it has
 * read as far as the hub. What a step has twice for it, it skips.
 */
@Injectable()
export class PushHub implements BeforeApplicationShutdown {
  private readonly followers = new Set<HubFollower>();
  private readonly index = new FilterIndex<HubFollower>();
  /** Null while there are no followers. */
  private position: Position | null = null;
  private indexId: Buffer = Buffer.alloc(0);
  private polledAt = now();
  private remindedAt = now();
  private readonly stop = new AbortController();
  private readonly sent: Counter<'kind'>;
  /** All subscriptions of clients. */
  private count = 0;

  constructor(
    private readonly reader: Reader,
    @Inject(LOGGER) private readonly logger: Logger,
    registry: Registry,
  ) {
    this.sent = new Counter({
      name: 'fresnel_push_notifications_total',
      help: 'Notifications of compressed accounts that were sent to clients, by kind',
      labelNames: ['kind'],
      registers: [registry],
    });
    for (const kind of PUSH_KINDS) this.sent.inc({ kind }, 0);
    const countOf = () => ({ live: this.followers.size, 'catching-up': this.count - this.followers.size });
    new Gauge({
      name: 'fresnel_push_subscriptions',
      help: 'Subscriptions of clients to compressed accounts: live, or catching up with old slots',
      labelNames: ['state'],
      registers: [registry],
      collect() {
        for (const [state, count] of Object.entries(countOf())) this.set({ state }, count);
      },
    });
    const ageSeconds = () => (this.position === null ? 0 : (now() - this.polledAt) / 1000);
    createLateGauge({
      name: 'fresnel_push_poll_age_seconds',
      help: 'Time since the index last answered what is new; 0 without live subscriptions',
      registers: [registry],
      collect() {
        this.set(ageSeconds());
      },
    });
  }

  beforeApplicationShutdown(): void {
    this.stop.abort();
  }

  countSent(kind: PushKind): void {
    this.sent.inc({ kind });
  }

  countSubscriptions(change: 1 | -1): void {
    this.count += change;
  }

  /**
   * Takes over a follower that has read up to a position. It gets all steps from there on.
   *
   * @returns false if the hub is further, on another revision, or at an index that has been replaced
   */
  join(follower: HubFollower, position: Position, indexId: Buffer): boolean {
    if (position.amending || position.isResumed || this.stop.signal.aborted) return false;
    if (this.position === null) {
      this.indexId = indexId;
      this.polledAt = now();
      this.position = position;
      this.add(follower);
      void this.run();
      return true;
    }
    const { place, revision, amending } = this.position;
    if (!indexId.equals(this.indexId) || amending) return false;
    if (revision !== position.revision || place > position.place) return false;
    this.add(follower);
    return true;
  }

  leave(follower: HubFollower): void {
    if (this.followers.delete(follower)) this.index.remove(follower, follower.filter);
  }

  private add(follower: HubFollower): void {
    this.followers.add(follower);
    this.index.add(follower, follower.filter);
  }

  private async run(): Promise<void> {
    const { signal } = this.stop;
    while (this.position && this.followers.size > 0 && !signal.aborted) {
      const { position } = this;
      try {
        const step = await readStep(this.reader, position, { indexId: this.indexId, limit: STEP_LIMIT, keys: null });
        if (step === null) {
          if (now() - this.polledAt >= MAX_LAG_MS) this.restart('the database has lost what was sent to clients');
          await wait(POLL_MS, signal);
          continue;
        }
        this.polledAt = now();
        this.position = step.position;
        if (!isSame(position, step.position)) this.send(step);
        else if (now() - this.remindedAt >= REMIND_MS) this.remind();
        if (step.isLast || isSame(position, step.position)) await wait(POLL_MS, signal);
      } catch (error) {
        if (error instanceof IndexReplacedError) this.restart(error.message);
        else this.logger.warn({ error }, 'cannot read what is new for subscriptions');
        await wait(RETRY_MS, signal);
      }
    }
    this.position = null;
  }

  private restart(reason: string): void {
    this.logger.warn({ reason, subscriptions: this.followers.size }, 'subscriptions have to begin again');
    for (const follower of [...this.followers]) follower.restart();
  }

  private remind(): void {
    this.remindedAt = now();
    for (const follower of this.followers) follower.remind();
  }

  private send(step: Step): void {
    const messages = new StepMessages(step, this.indexId);
    const matching = new Map<HubFollower, BranchTransaction[]>();
    for (const transaction of step.transactions) {
      for (const follower of this.index.find(transaction)) {
        const list = matching.get(follower);
        if (list) list.push(transaction);
        else matching.set(follower, [transaction]);
      }
    }
    for (const [follower, transactions] of matching) this.deliver(follower, messages, transactions);
    // The others receive at most a slot message, which may be late.
    for (const follower of this.followers) if (!matching.has(follower)) this.deliver(follower, messages, NONE);
  }

  private deliver(follower: HubFollower, messages: StepMessages, matching: readonly BranchTransaction[]): void {
    follower.receive(messages, matching);
    if (!follower.isClogged) return;
    // Its client reads more slowly: it reads on from the tables, as the client reads.
    this.leave(follower);
    follower.readOn(messages.step.position);
  }
}

function isSame(one: Position, other: Position): boolean {
  return one.place === other.place && one.revision === other.revision && one.amending?.from === other.amending?.from;
}
