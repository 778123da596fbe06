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
    const { maxBatchEntries } = this.options;
    const rules = { pathMethod: request.pathMethod, maxBatchEntries };
    const { limiter } = this;
    if (!limiter) return this.run(parseMessage(request.body, rules), request, {});
    const { body, client } = request;
    const prepaid = body.length < LARGE_BODY_BYTES ? 0 : bodyPoints(body.length);
    let allowance = prepaid > 0 ? await this.consume(limiter, client, prepaid) : null;
    if (allowance?.isGranted === false) return this.reject(UNREAD_MESSAGE, rateLimitHeaders(limiter.limit, allowance));
    const message = parseMessage(body, rules);
    const rest = Math.max(this.pointsOf(message), bodyPoints(body.length)) - prepaid;
    if (allowance === null || rest > 0) allowance = await this.consume(limiter, client, rest);
    const headers = rateLimitHeaders(limiter.limit, allowance);
    return allowance.isGranted ? this.run(message, request, headers) : this.reject(message, headers);
  }

  private async consume(limiter: RateLimiter, client: string, points: number): Promise<Allowance> {
    const startedAt = now();
    const allowance = await limiter.consume(client, points);
    this.metrics.limiterDecided(allowance.isGranted, (now() - startedAt) / 1000);
    return allowance;
  }

  private pointsOf({ calls }: Message): number {
    return calls.reduce((points, call) => points + this.runner.pointsOf(call), 0);
  }

  private async run(
    { isBatch, calls }: Message,
    { id: requestId, client }: RpcRequest,
    headers: RpcResponse['headers'],
  ) {
    const responses = await Promise.all(calls.map((call) => this.runner.run(call, { requestId, client })));
    if (!isBatch) return { httpStatus: responses[0].httpStatus, headers, text: responses[0].text };
    return { httpStatus: 200, headers, text: batchText(responses.map(({ text }) => text)) };
  }

  /** Answers 429. A batch is rejected as a whole, with one response and a null id. */
  private reject({ isBatch, calls }: Message, headers: RpcResponse['headers']): RpcResponse {
    this.runner.countRejected(calls, TOO_MANY_REQUESTS);
    const id = isBatch ? 'null' : calls[0].id;
    return { httpStatus: TOO_MANY_REQUESTS.kind.httpStatus, headers, text: failureText(id, TOO_MANY_REQUESTS) };
  }
}
