import { RATE_LIMITER, type RateLimiter } from '@fresnel/adapters/rate-limit';
import { Counter, EventLoopDelay, Gauge, Registry } from '@fresnel/platform';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { GATEWAY_OPTIONS, type GatewayOptions } from '../gateway.options';

/** What is in progress: of all clients, or of one. */
interface Load {
  requests: number;
  responseBytes: number;
}

type LoadLimits = Pick<
  GatewayOptions,
  'GATEWAY_MAX_REQUESTS_IN_FLIGHT' | 'GATEWAY_MAX_RESPONSE_BYTES_IN_FLIGHT' | 'GATEWAY_MAX_EVENT_LOOP_DELAY_MS'
>;

const SHED_REASONS = ['requests', 'response-bytes', 'client-requests', 'client-response-bytes', 'event-loop'] as const;

export type ShedReason = (typeof SHED_REASONS)[number];

/** A request that was admitted. It is in flight until its response has been sent or its connection has closed. */
export interface AdmittedRequest {
  /** Counts the bytes of the response until the request ends. Does nothing after that. */
  addResponse(bytes: number): void;
  /** Is called once. */
  end(): void;
}

/** With a rate limit, one client occupies at most this share of each budget. Without one, clients are not distinguished. */
const CLIENT_SHARE = 0.25;

/**
 * Decides which requests are answered, by the requests and the response bytes in flight and by the delay of the event
 * loop. A request that is admitted is always answered.
 */
@Injectable()
export class LoadShedder implements OnModuleDestroy {
  private readonly total: Load = { requests: 0, responseBytes: 0 };
  private readonly clients = new Map<string, Load>();
  private readonly delay = new EventLoopDelay();
  private readonly share: number;
  private readonly shed: Counter<'reason'>;

  constructor(
    @Inject(GATEWAY_OPTIONS) private readonly options: LoadLimits,
    @Inject(RATE_LIMITER) limiter: RateLimiter | null,
    registry: Registry,
  ) {
    this.share = limiter ? CLIENT_SHARE : 1;
    const { total } = this;
    new Gauge({
      name: 'fresnel_gateway_requests_in_flight',
      help: 'HTTP requests whose response has not been sent completely.',
      registers: [registry],
      collect() {
        this.set(total.requests);
      },
    });
    new Gauge({
      name: 'fresnel_gateway_responses_in_flight_bytes',
      help: 'Uncompressed size of responses that have not been sent completely.',
      registers: [registry],
      collect() {
        this.set(total.responseBytes);
      },
    });
    this.shed = new Counter({
      name: 'fresnel_gateway_requests_shed_total',
      help: 'HTTP requests that were answered with 503, by the exhausted budget.',
      labelNames: ['reason'],
      registers: [registry],
    });
    // Prometheus misses the first increase of a series that did not exist before.
    for (const reason of SHED_REASONS) this.shed.inc({ reason }, 0);
  }

  onModuleDestroy(): void {
    this.delay.stop();
  }

  /** Admits a request of a client if no budget is exhausted. @returns null if the request must be answered with 503 */
  admit(client: string): AdmittedRequest | null {
    const load = this.clients.get(client) ?? { requests: 0, responseBytes: 0 };
    const reason = this.findExcess(load);
    if (reason) {
      this.shed.inc({ reason });
      return null;
    }
    this.clients.set(client, load);
    return this.start(client, load);
  }

  private findExcess(client: Load): ShedReason | null {
    const { total, share, options } = this;
    if (total.requests >= options.GATEWAY_MAX_REQUESTS_IN_FLIGHT) return 'requests';
    if (total.responseBytes >= options.GATEWAY_MAX_RESPONSE_BYTES_IN_FLIGHT) return 'response-bytes';
    if (client.requests >= options.GATEWAY_MAX_REQUESTS_IN_FLIGHT * share) return 'client-requests';
    if (client.responseBytes >= options.GATEWAY_MAX_RESPONSE_BYTES_IN_FLIGHT * share) return 'client-response-bytes';
    return this.delay.meanMs > options.GATEWAY_MAX_EVENT_LOOP_DELAY_MS ? 'event-loop' : null;
  }

  private start(client: string, load: Load): AdmittedRequest {
    let bytesOfRequest = 0;
    let isInFlight = true;
    const count = (requests: number, bytes: number) => {
      for (const each of [this.total, load]) {
        each.requests += requests;
        each.responseBytes += bytes;
      }
    };
    count(1, 0);
    return {
      addResponse: (bytes) => {
        // The response of a connection that has closed is written all the same.
        if (!isInFlight) return;
        bytesOfRequest += bytes;
        count(0, bytes);
      },
      end: () => {
        isInFlight = false;
        count(-1, -bytesOfRequest);
        if (load.requests === 0) this.clients.delete(client);
      },
    };
  }
}
