import { type BranchTransaction, lastSlotBefore, type Reader } from '@fresnel/adapters/store-read';
import { SUBSCRIPTION_COST, type SubscriptionFilter } from '@fresnel/contracts/rpc';
import { type Logger, yieldAfter } from '@fresnel/platform';
import { now, wait } from '@fresnel/platform/time';
import { type ClientTurns } from '../limits/client-turns';
import { FilterIndex } from './filter-index';
import { type PushChannel } from './push-channel';
import { type HubFollower, POLL_MS, type PushHub, RETRY_MS } from './push-hub';
import { IndexReplacedError, MAX_LAG_MS, type Position, readStep, type Step } from './read-step';
import { type Start } from './start-position';
import { StepMessages } from './step-messages';
import { type Subscription } from './subscription';

/** Transactions of a page of old slots. A subscription has one page in memory. */
const PAGE_LIMIT = 250;
/** The points of a page that is full. */
const PAGE_POINTS = SUBSCRIPTION_COST.pointsOfWork({ rows: PAGE_LIMIT });
/** Transactions that are written at once, about 1 ms. */
const PART_LIMIT = 25;
/** Longest turn of the event loop in which old transactions are written. */
const MAX_TURN_MS = 2;

/** What followers share. */
interface FollowerServices {
  reader: Reader;
  hub: PushHub;
  turns: ClientTurns;
  logger: Logger;
}

/** Follows the indexed branch for one subscription: old slots page by page, at the pace of the client, and then with the hub. */
export class Follower implements HubFollower {
  private readonly matcher = new FilterIndex<this>();
  private isEnded = false;

  constructor(
    private readonly subscription: Subscription,
    private readonly indexId: Buffer,
    private readonly channel: PushChannel,
    private readonly services: FollowerServices,
  ) {
    this.matcher.add(this, subscription.filter);
    services.hub.countSubscriptions(1);
  }

  get filter(): SubscriptionFilter {
    return this.subscription.filter;
  }

  get isClogged(): boolean {
    return this.channel.isClogged;
  }

  start({ step, isTold }: Start): void {
    if (isTold) this.receive(new StepMessages(step, this.indexId), []);
    this.readOn(step.position);
  }

  receive(messages: StepMessages, matching: readonly BranchTransaction[]): void {
    this.subscription.receive(messages, matching);
  }

  remind(): void {
    this.subscription.remind();
  }

  readOn(position: Position): void {
    void this.run(position);
  }

  restart(): void {
    this.channel.restart();
  }

  end(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.services.hub.leave(this);
    this.services.hub.countSubscriptions(-1);
  }

  /** Also while a step is sent. */
  private hasEnded(): boolean {
    return this.isEnded;
  }

  private async run(start: Position): Promise<void> {
    const { hub, logger } = this.services;
    const { signal } = this.channel;
    let position = start;
    let answeredAt = now();
    for (;;) {
      if (this.isClogged) await this.channel.waitUntilRead();
      if (this.hasEnded() || hub.join(this, position, this.indexId)) return;
      try {
        const step = await this.readPage(position);
        if (step === null) {
          if (now() - answeredAt >= MAX_LAG_MS) this.restart();
          await wait(POLL_MS, signal);
          continue;
        }
        answeredAt = now();
        for (const part of partsOf(step)) {
          if (this.hasEnded()) return;
          this.receive(
            new StepMessages(part, this.indexId),
            part.transactions.filter((transaction) => this.matcher.find(transaction).size > 0),
          );
          await yieldAfter(MAX_TURN_MS);
        }
        // The hub may be a little behind.
        if (step.isLast || step.position === position) await wait(POLL_MS, signal);
        position = step.position;
      } catch (error) {
        if (error instanceof IndexReplacedError) this.restart();
        logger.warn({ error }, 'cannot read old slots of a subscription');
        await wait(RETRY_MS, signal);
      }
    }
  }

  /** Reads a page when the client has read what was sent, and has the points for it. */
  private async readPage(position: Position): Promise<Step | null> {
    const { channel, services } = this;
    await channel.waitUntilRead();
    await channel.takePoints(1);
    const step = await services.turns.run(channel.client, PAGE_POINTS, () =>
      readStep(services.reader, position, {
        indexId: this.indexId,
        limit: PAGE_LIMIT,
        keys: this.subscription.keys,
      }),
    );
    const points = SUBSCRIPTION_COST.pointsOfWork({ rows: step?.transactions.length ?? 0 });
    if (points > 1) channel.charge(points - 1);
    return step;
  }
}

/** Splits a page into steps that are written in a short turn each. */
function partsOf(step: Step): Step[] {
  const { transactions } = step;
  if (step.isAmendment || transactions.length <= PART_LIMIT) return [step];
  const part = transactions.slice(0, PART_LIMIT);
  const position = { ...step.position, place: part[part.length - 1].place + 1 };
  const complete = { slot: lastSlotBefore(position.place), blockhash: null };
  return [
    { ...step, transactions: part, position, complete, isLast: false },
    ...partsOf({ ...step, transactions: transactions.slice(PART_LIMIT) }),
  ];
}
