import { Counter, Gauge, Histogram, Registry } from '@fresnel/platform';
import { Injectable } from '@nestjs/common';

/** Metrics of JSON-RPC calls. */
@Injectable()
export class RpcMetrics {
  private readonly calls: Counter<'method' | 'outcome'>;
  private readonly duration: Histogram<'method'>;
  private readonly inFlight: Gauge;

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
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    });
    this.inFlight = new Gauge({
      name: 'fresnel_gateway_calls_in_flight',
      help: 'JSON-RPC calls in progress.',
      registers,
    });
  }

  callStarted(): void {
    this.inFlight.inc();
  }

  callEnded(method: string, outcome: string, seconds: number): void {
    this.inFlight.dec();
    this.duration.observe({ method }, seconds);
    this.count(method, outcome);
  }

  /** Counts a call without a duration. */
  count(method: string, outcome: string): void {
    this.calls.inc({ method, outcome });
  }
}
