import { RATE_LIMITER, type RateLimiter } from '@fresnel/adapters/rate-limit';
import { Inject, Injectable } from '@nestjs/common';
import { GATEWAY_OPTIONS, type GatewayOptions } from '../gateway.options';
import { rateLimitHeaders } from '../limits/rate-limit-headers';
import { CallRunner } from './call-runner';
import { type Message, readMessage } from './read-message';
import { failureText } from './response-text';
import { TOO_MANY_REQUESTS } from './rpc-failure';

/** A body that arrived, and what is known about its way here. */
export interface RpcRequest {
  /** For the log. */
  id: string;
  body: Buffer;
  /** The method that the path names, null at the root. */
  pathMethod: string | null;
  /** Whose points it costs. */
  client: string;
}

export interface RpcReply {
  httpStatus: number;
  headers: Record<string, string>;
  text: string;
}

/** Answers whole bodies: reads them, takes their points, runs their calls. */
@Injectable()
export class RpcService {
  constructor(
    @Inject(GATEWAY_OPTIONS) private readonly options: GatewayOptions,
    @Inject(RATE_LIMITER) private readonly limiter: RateLimiter | null,
    private readonly runner: CallRunner,
  ) {}

  async answer(request: RpcRequest): Promise<RpcReply> {
    const { maxBatchEntries } = this.options;
    const message = readMessage(request.body, { pathMethod: request.pathMethod, maxBatchEntries });
    if (!this.limiter) return this.run(message, request.id, {});
    const allowance = await this.limiter.take(request.client, this.pointsOf(message));
    const headers = rateLimitHeaders(this.limiter.limit, allowance);
    return allowance.isGranted ? this.run(message, request.id, headers) : this.refuse(message, headers);
  }

  private pointsOf({ calls }: Message): number {
    return calls.reduce((points, call) => points + this.runner.pointsOf(call), 0);
  }

  private async run({ isBatch, calls }: Message, requestId: string, headers: RpcReply['headers']): Promise<RpcReply> {
    const answers = await Promise.all(calls.map((call) => this.runner.run(call, requestId)));
    if (!isBatch) return { httpStatus: answers[0].httpStatus, headers, text: answers[0].text };
    return { httpStatus: 200, headers, text: `[${answers.map(({ text }) => text).join(',')}]` };
  }

  /** A batch is refused whole, by one answer that belongs to none of its calls. */
  private refuse({ isBatch, calls }: Message, headers: RpcReply['headers']): RpcReply {
    this.runner.countRefused(calls, TOO_MANY_REQUESTS);
    const id = isBatch ? 'null' : calls[0].id;
    return { httpStatus: TOO_MANY_REQUESTS.kind.httpStatus, headers, text: failureText(id, TOO_MANY_REQUESTS) };
  }
}
