import { Counter, Gauge, Histogram, Registry, SECONDS_BUCKETS } from '@fresnel/platform';
import { Injectable } from '@nestjs/common';

/** Metrics of JSON-RPC calls. */
@Injectable()
export class RpcMetrics {
  private readonly calls: Counter<'method' | 'outcome'>;
  private readonly duration: Histogram<'method'>;
  private inFlight = 0;
  private readonly limiterSeconds: Histogram<'decision'>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.calls = new Counter({
      name: 'fresnel_gateway_calls_total',
      help: 'JSON-RPC calls by method and outcome: "ok" or the error code.',
      labelNames: ['method', 'outcome'],
      registers,
    });
    this.duration = new Histogram({
      name: 'fresnel_gateway_call_duration_seconds',
      help: 'Duration of JSON-RPC calls by method.',
      labelNames: ['method'],
      buckets: SECONDS_BUCKETS,
      registers,
    });
    this.limiterSeconds = new Histogram({
      name: 'fresnel_gateway_rate_limit_seconds',
      help: 'Duration of decisions of the rate limiter: "granted" or "rejected".',
      labelNames: ['decision'],
      buckets: SECONDS_BUCKETS,
      registers,
    });
    const inFlight = () => this.inFlight;
    new Gauge({
      name: 'fresnel_gateway_calls_in_flight',
      help: 'JSON-RPC calls in progress.',
      registers,
      collect() {
        this.set(inFlight());
      },
    });
  }

  callStarted(): void {
    this.inFlight += 1;
  }

  callEnded(method: string, outcome: string, seconds: number): void {
    this.inFlight -= 1;
    this.duration.observe({ method }, seconds);
    this.count(method, outcome);
  }

  limiterDecided(isGranted: boolean, seconds: number): void {
    this.limiterSeconds.observe({ decision: isGranted ? 'granted' : 'rejected' }, seconds);
  }

  /** Counts a call without a duration. */
  count(method: string, outcome: string): void {
    this.calls.inc({ method, outcome });
  }
}
