import { type Allowance, RATE_LIMITER, type RateLimiter } from '@fresnel/adapters/rate-limit';
import { bodyPoints } from '@fresnel/contracts/rpc';
import { now } from '@fresnel/platform/time';
import { Inject, Injectable } from '@nestjs/common';
import { GATEWAY_OPTIONS, type GatewayOptions } from '../gateway.options';
import { rateLimitHeaders } from '../limits/rate-limit-headers';
import { batchText, failureText, type JsonText } from '../responses/response-text';
import { TOO_MANY_REQUESTS } from '../responses/rpc-failure';
import { CallRunner } from './call-runner';
import { type Message, parseMessage, UNREAD_MESSAGE } from './parse-message';
import { RpcMetrics } from './rpc-metrics';

/** The points of larger bodies are taken before they are parsed, because parsing them is work. */
const LARGE_BODY_BYTES = 16 * 1024;

/** A request body, and the attributes of the HTTP request that the gateway uses. */
export interface RpcRequest {
  /** Request id for the log. */
  id: string;
  body: Buffer;
  /** The method that the path names, null at the root. */
  pathMethod: string | null;
  /** The client whose rate limit applies. */
  client: string;
}

export interface RpcResponse {
  httpStatus: number;
  headers: Record<string, string>;
  text: JsonText;
}

/** Answers a request body: parses it, checks the rate limit and runs its calls. */
@Injectable()
export class RpcService {
  constructor(
    @Inject(GATEWAY_OPTIONS) private readonly options: GatewayOptions,
    /** Null: no limit. */
    @Inject(RATE_LIMITER) private readonly limiter: RateLimiter | null,
    private readonly runner: CallRunner,
    private readonly metrics: RpcMetrics,
  ) {}

  async respond(request: RpcRequest): Promise<RpcResponse> {
    const rules = { pathMethod: request.pathMethod, maxBatchEntries: this.options.GATEWAY_MAX_BATCH };
    const { limiter } = this;
    if (!limiter) return (await this.run(parseMessage(request.body, rules), request)).response;
    const { body, client } = request;
    const prepaid = body.length < LARGE_BODY_BYTES ? 0 : bodyPoints(body.length);
    let allowance = prepaid > 0 ? await this.consume(limiter, client, prepaid) : null;
    if (allowance?.isGranted === false) return this.reject(UNREAD_MESSAGE, rateLimitHeaders(limiter.limit, allowance));
    const message = parseMessage(body, rules);
    const taken = Math.max(this.firstPointsOf(message), bodyPoints(body.length));
    if (allowance === null || taken > prepaid) allowance = await this.consume(limiter, client, taken - prepaid);
    if (!allowance.isGranted) return this.reject(message, rateLimitHeaders(limiter.limit, allowance));
    const { response, points } = await this.run(message, request);
    const rest = Math.max(0, points - taken);
    // Sent before the next command of this client, and not waited for.
    if (rest > 0) void limiter.charge(client, rest);
    const remainingPoints = Math.max(0, allowance.remainingPoints - rest);
    return { ...response, headers: rateLimitHeaders(limiter.limit, { ...allowance, remainingPoints }) };
  }

  private async consume(limiter: RateLimiter, client: string, points: number): Promise<Allowance> {
    const startedAt = now();
    const allowance = await limiter.consume(client, points);
    this.metrics.limiterDecided(allowance.isGranted, (now() - startedAt) / 1000);
    return allowance;
  }

  private firstPointsOf({ calls }: Message): number {
    return calls.reduce((points, call) => points + this.runner.firstPointsOf(call), 0);
  }

  /** @returns the response, and what its calls cost */
  private async run({ isBatch, calls }: Message, { id: requestId, client }: RpcRequest) {
    const responses = await Promise.all(calls.map((call) => this.runner.run(call, { requestId, client })));
    const points = responses.reduce((sum, one) => sum + one.points, 0);
    const [{ httpStatus, text }] = responses;
    const response = isBatch
      ? { httpStatus: 200, headers: {}, text: batchText(responses.map((one) => one.text)) }
      : { httpStatus, headers: {}, text };
    return { response, points };
  }

  /** Answers 429. A batch is rejected as a whole, with one response and a null id. */
  private reject({ isBatch, calls }: Message, headers: RpcResponse['headers']): RpcResponse {
    this.runner.countRejected(calls, TOO_MANY_REQUESTS);
    const id = isBatch ? 'null' : calls[0].id;
    return { httpStatus: TOO_MANY_REQUESTS.kind.httpStatus, headers, text: failureText(id, TOO_MANY_REQUESTS) };
  }
}
