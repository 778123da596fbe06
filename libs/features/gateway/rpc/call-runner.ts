import { PROVER_CLIENT, type ProverClient } from '@fresnel/adapters/prover-client';
import { Reader } from '@fresnel/adapters/store-read';
import { type Logger } from '@fresnel/platform';
import { Inject, Injectable } from '@nestjs/common';
import { GATEWAY_OPTIONS, type GatewayOptions } from '../gateway.options';
import { GATEWAY_LOGGER } from '../gateway-logger';
import { RPC_METHODS } from '../methods/rpc-methods';
import { withDeadline } from './deadline';
import { failureOf } from './failure-of';
import { type Call, type ReadableCall } from './read-message';
import { failureText, successText } from './response-text';
import { INTERNAL_ERROR, METHOD_NOT_FOUND, type RpcFailure } from './rpc-failure';
import { RpcMetrics } from './rpc-metrics';

/** A finished response object, and the status it is sent with when it travels alone. */
export interface Answer {
  text: string;
  httpStatus: number;
}

const UNREADABLE = 'unreadable';
const UNKNOWN = 'unknown';

/** Runs calls one by one, each within the time limit, and keeps books on them. */
@Injectable()
export class CallRunner {
  constructor(
    @Inject(GATEWAY_OPTIONS) private readonly options: GatewayOptions,
    private readonly reader: Reader,
    @Inject(PROVER_CLIENT) private readonly prover: ProverClient,
    @Inject(GATEWAY_LOGGER) private readonly logger: Logger,
    private readonly metrics: RpcMetrics,
  ) {}

  /** Points that a call costs, readable or not. */
  pointsOf(call: Call): number {
    return 'failure' in call ? 1 : (RPC_METHODS.get(call.method)?.pointsOf(call.params) ?? 1);
  }

  /** Never throws: whatever goes wrong is the answer. */
  async run(call: Call, requestId: string): Promise<Answer> {
    const startedAt = performance.now();
    this.metrics.begin();
    const { answer, outcome } = await this.answer(call, requestId);
    const durationMs = performance.now() - startedAt;
    const method = labelOf(call);
    this.metrics.end(method, outcome, durationMs / 1000);
    this.logger.debug({ requestId, method, outcome, durationMs }, 'call answered');
    return answer;
  }

  /** For calls that the caller has no points for. */
  countRefused(calls: readonly Call[], { kind }: RpcFailure): void {
    for (const call of calls) this.metrics.count(labelOf(call), String(kind.code));
  }

  private async answer(call: Call, requestId: string): Promise<{ answer: Answer; outcome: string }> {
    if ('failure' in call) return failed(call.id, call.failure);
    try {
      const result = await this.result(call);
      if (result === null) return failed(call.id, METHOD_NOT_FOUND);
      return { answer: { text: successText(call.id, result), httpStatus: 200 }, outcome: 'ok' };
    } catch (error) {
      const failure = failureOf(error);
      if (failure === INTERNAL_ERROR) {
        this.logger.error({ requestId, method: labelOf(call), error }, 'call failed');
      }
      return failed(call.id, failure);
    }
  }

  /** Null where there is no such method. */
  private async result({ method, params }: ReadableCall): Promise<string | null> {
    const { reader, prover, options } = this;
    const found = RPC_METHODS.get(method);
    return found ? withDeadline(found.answer(params, { reader, prover, options }), options.requestTimeoutMs) : null;
  }
}

function failed(id: string, failure: RpcFailure): { answer: Answer; outcome: string } {
  const { code, httpStatus } = failure.kind;
  return { answer: { text: failureText(id, failure), httpStatus }, outcome: String(code) };
}

/** A method's name, or one of two words: names that callers invent do not become labels. */
function labelOf(call: Call): string {
  if ('failure' in call) return UNREADABLE;
  return RPC_METHODS.has(call.method) ? call.method : UNKNOWN;
}
