import { TooManyAccountsError } from '@fresnel/adapters/store-read';
import {
  type Cost,
  firstPointsOf,
  METHOD_CONTRACTS,
  NODE_COST,
  ONE_POINT,
  RPC_ERRORS,
  type Work,
} from '@fresnel/contracts/rpc';
import { failSpan, inSpan, LOGGER, type Logger, type Span } from '@fresnel/platform';
import { now } from '@fresnel/platform/time';
import { Inject, Injectable } from '@nestjs/common';
import { GATEWAY_OPTIONS, type GatewayOptions } from '../gateway.options';
import { ClientTurns } from '../limits/client-turns';
import { RpcMethods } from '../methods/rpc-method';
import { DeadlineExceededError, withDeadline } from '../responses/deadline';
import { failureOf } from '../responses/failure-of';
import { failureText, type JsonText, successText } from '../responses/response-text';
import { METHOD_NOT_FOUND, type RpcFailure } from '../responses/rpc-failure';
import { IndexedSlotWaiter, splitMinContextSlot } from './min-context-slot';
import { type Call, type ValidCall } from './parse-message';
import { RpcMetrics } from './rpc-metrics';

/** The response to one call, and its HTTP status if the call is not in a batch. */
export interface CallResponse {
  text: JsonText;
  httpStatus: number;
  /** What the call costs. The part of it that `firstPointsOf` returns was taken before. */
  points: number;
}

/** The HTTP request that contains a call. */
export interface CallOrigin {
  requestId: string;
  client: string;
}

/** The response and its metric label: "ok" or the error code. */
interface Outcome {
  response: CallResponse;
  label: string;
}

/** Follows what a call reads. */
interface WorkObserver {
  onStart: () => void;
  onWork: (work: Work) => void;
}

const COSTS: ReadonlyMap<string, Cost> = new Map(METHOD_CONTRACTS.map(({ name, cost }) => [name, cost]));

/** Metric label of a call with a result. */
const OK = 'ok';
/** Metric labels of calls that have no known method. Callers must not be able to create labels. */
const INVALID = 'invalid';
const UNKNOWN = 'unknown';

/** Runs single calls within the time limit, and counts and logs them. */
@Injectable()
export class CallRunner {
  constructor(
    @Inject(GATEWAY_OPTIONS) private readonly options: GatewayOptions,
    private readonly methods: RpcMethods,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly metrics: RpcMetrics,
    private readonly turns: ClientTurns,
    private readonly indexedSlot: IndexedSlotWaiter,
  ) {}

  /** Points that are taken before the call runs, also if it is invalid. */
  firstPointsOf(call: Call): number {
    return 'failure' in call ? 1 : firstPointsOf(this.costOf(call), call.params);
  }

  /** Never throws: every error becomes a response. */
  run(call: Call, origin: CallOrigin): Promise<CallResponse> {
    const method = this.methodLabel(call);
    const attributes = {
      'rpc.system.name': 'jsonrpc',
      'rpc.method': method === INVALID || method === UNKNOWN ? '_OTHER' : method,
      'fresnel.request_id': origin.requestId,
    };
    return inSpan(method, { kind: 'server', attributes }, async (span) => {
      const startedAt = now();
      this.metrics.callStarted();
      const { response, label: outcome } = await this.respond(call, origin);
      const durationMs = now() - startedAt;
      this.metrics.callEnded(method, outcome, durationMs / 1000);
      this.logger.debug({ requestId: origin.requestId, method, outcome, durationMs }, 'call answered');
      reportOutcome(span, outcome);
      return response;
    });
  }

  /** Counts calls that are rejected by the rate limit and not run. */
  countRejected(calls: readonly Call[], { kind }: RpcFailure): void {
    for (const call of calls) this.metrics.count(this.methodLabel(call), String(kind.code));
  }

  private async respond(call: Call, origin: CallOrigin): Promise<Outcome> {
    if ('failure' in call) return failed(call.id, call.failure, 1);
    const cost = this.costOf(call);
    const firstPoints = firstPointsOf(cost, call.params);
    let points = firstPoints;
    const observer: WorkObserver = {
      onStart: () => (points = cost.pointsOf(call.params)),
      onWork: (work) => (points = Math.max(firstPoints, cost.pointsOfWork?.(work) ?? 0)),
    };
    try {
      const result = await this.callMethod(call, origin, observer);
      if (result === null) return failed(call.id, METHOD_NOT_FOUND, points);
      return { response: { text: successText(call.id, result), httpStatus: 200, points }, label: OK };
    } catch (error) {
      if (!mayHaveReadAll(error)) points = firstPoints;
      const failure = failureOf(error);
      if (failure.kind === RPC_ERRORS.internalError) {
        this.logger.error({ requestId: origin.requestId, method: this.methodLabel(call), error }, 'call failed');
      }
      return failed(call.id, failure, points);
    }
  }

  private costOf({ method }: ValidCall): Cost {
    return this.methods.has(method) ? (COSTS.get(method) ?? NODE_COST) : ONE_POINT;
  }

  /** The result, null if there is no such method. */
  private async callMethod(
    call: ValidCall,
    { client, requestId }: CallOrigin,
    { onStart, onWork }: WorkObserver,
  ): Promise<JsonText | null> {
    const method = this.methods.get(call.method);
    if (!method) return null;
    const { GATEWAY_REQUEST_TIMEOUT_MS: timeoutMs } = this.options;
    const expiresAt = now() + timeoutMs;
    const { params, minContextSlot } = splitMinContextSlot(call.params);
    const run = () =>
      this.turns.run(client, this.costOf(call).pointsOf(call.params), () => {
        if (now() >= expiresAt) throw new DeadlineExceededError('expired while it waited for its turn');
        onStart();
        return method.call(params, { requestId, onWork });
      });
    const result = minContextSlot === null ? run() : this.indexedSlot.waitFor(minContextSlot).then(run);
    return withDeadline(result, timeoutMs);
  }

  private methodLabel(call: Call): string {
    if ('failure' in call) return INVALID;
    return this.methods.has(call.method) ? call.method : UNKNOWN;
  }
}

/** A span has failed if the gateway could not answer, not if the caller made a mistake. */
function reportOutcome(span: Span, outcome: string): void {
  if (outcome === OK) return;
  span.setAttribute('rpc.status_code', outcome);
  if (outcome === String(RPC_ERRORS.internalError.code)) failSpan(span, outcome);
}

/** Whether a call with this error may have read all that its params allow. */
function mayHaveReadAll(error: unknown): boolean {
  return error instanceof DeadlineExceededError || error instanceof TooManyAccountsError;
}

function failed(id: string, failure: RpcFailure, points: number): Outcome {
  const { code, httpStatus } = failure.kind;
  return { response: { text: failureText(id, failure), httpStatus, points }, label: String(code) };
}
