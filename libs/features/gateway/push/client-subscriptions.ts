import { Reader } from '@fresnel/adapters/store-read';
import { CONTRACTS, FILTER_KINDS, type SubscriptionFilter, WEBSOCKET_CONTRACTS } from '@fresnel/contracts/rpc';
import { LOGGER, type Logger } from '@fresnel/platform';
import { Inject, Injectable } from '@nestjs/common';
import { GATEWAY_OPTIONS, type GatewayOptions } from '../gateway.options';
import { ClientTurns } from '../limits/client-turns';
import { failureOf } from '../responses/failure-of';
import { failureText, successText } from '../responses/response-text';
import { INTERNAL_ERROR, TOO_MANY_FILTER_VALUES, TOO_MANY_SUBSCRIPTIONS } from '../responses/rpc-failure';
import { Follower } from './follower';
import { type PushChannel } from './push-channel';
import { PushHub } from './push-hub';
import { findStart } from './start-position';
import { Subscription } from './subscription';

/** The methods that `ClientSubscriptions` answers, with what a call costs. */
export const PUSH_COSTS: ReadonlyMap<string, number> = new Map(
  WEBSOCKET_CONTRACTS.map(({ name, cost }) => [name, cost.pointsOf(undefined)]),
);

/** A call as it was sent. */
interface PushCall {
  /** JSON text to echo. */
  id: string;
  method: string;
  params: unknown;
}

interface OpenSubscription {
  subscription: Subscription;
  follower: Follower;
}

/** Makes the subscriptions of connections. */
@Injectable()
export class PushService {
  constructor(
    readonly reader: Reader,
    readonly hub: PushHub,
    readonly turns: ClientTurns,
    @Inject(LOGGER) readonly logger: Logger,
    @Inject(GATEWAY_OPTIONS) readonly options: GatewayOptions,
  ) {}

  open(channel: PushChannel): ClientSubscriptions {
    return new ClientSubscriptions(channel, this);
  }
}

/** The subscriptions of one connection to compressed accounts. */
export class ClientSubscriptions {
  private readonly subscriptions = new Map<number, OpenSubscription>();
  /** Subscriptions whose start is being looked up. */
  private pending = 0;
  private values = 0;
  private lastId = 0;

  constructor(
    private readonly channel: PushChannel,
    private readonly service: PushService,
  ) {}

  /** With those that are being opened. */
  get count(): number {
    return this.subscriptions.size + this.pending;
  }

  /** The newest cursor of the only subscription; empty if there is not exactly one. */
  get cursor(): string {
    const [first] = this.subscriptions.values();
    return this.subscriptions.size === 1 ? first.subscription.cursor : '';
  }

  /** Answers a call. Never throws. @param others other subscriptions of the connection @returns false if it was refused for a limit */
  async answer({ id, method, params }: PushCall, others: number): Promise<boolean> {
    try {
      if (method === CONTRACTS.compressionUnsubscribe.name) {
        const isEnded = this.unsubscribe(CONTRACTS.compressionUnsubscribe.parseParams(params));
        this.channel.send(String(successText(id, String(isEnded))));
        return true;
      }
      return await this.subscribe(id, params, others);
    } catch (error) {
      const failure = failureOf(error);
      if (failure === INTERNAL_ERROR) this.service.logger.error({ method, error }, 'call failed');
      this.channel.send(failureText(id, failure));
      return true;
    }
  }

  /** Sends each subscription the slot up to which it has everything. */
  finish(): void {
    for (const { subscription } of this.subscriptions.values()) subscription.finish();
  }

  close(): void {
    for (const { follower } of this.subscriptions.values()) follower.end();
    this.subscriptions.clear();
  }

  private async subscribe(id: string, params: unknown, others: number): Promise<boolean> {
    const { options, reader } = this.service;
    const request = CONTRACTS.compressionSubscribe.parseParams(params);
    const values = countValues(request.filter);
    const excess =
      this.count + others >= options.GATEWAY_MAX_SUBSCRIPTIONS
        ? TOO_MANY_SUBSCRIPTIONS
        : this.values + values > options.GATEWAY_MAX_FILTER_VALUES
          ? TOO_MANY_FILTER_VALUES
          : null;
    if (excess) {
      this.channel.send(failureText(id, excess));
      return false;
    }
    this.pending++;
    this.values += values;
    let isOpen = false;
    try {
      const start = await findStart(reader, request.from);
      if (this.channel.signal.aborted) return true;
      isOpen = true;
      const number = ++this.lastId;
      this.channel.send(String(successText(id, String(number))));
      const subscription = new Subscription(number, request, ({ kind }, frame) => {
        this.channel.send(frame);
        this.service.hub.countSent(kind);
      });
      const follower = new Follower(subscription, start.indexId, this.channel, this.service);
      this.subscriptions.set(number, { subscription, follower });
      follower.start(start);
      return true;
    } finally {
      this.pending--;
      if (!isOpen) this.values -= values;
    }
  }

  private unsubscribe(number: number): boolean {
    const open = this.subscriptions.get(number);
    if (!open) return false;
    open.follower.end();
    this.values -= countValues(open.subscription.filter);
    return this.subscriptions.delete(number);
  }
}

function countValues(filter: SubscriptionFilter): number {
  return filter === 'all' ? 0 : FILTER_KINDS.reduce((sum, kind) => sum + filter[kind].length, 0);
}
