import { Histogram, Registry, SECONDS_BUCKETS } from '@fresnel/platform';
import { ConfigurableModuleBuilder, Inject, Module } from '@nestjs/common';
import { type Chain } from '../rpc-chain';

/** Injection token of the `Chain` to index. */
export const CHAIN = Symbol('Chain');

const { ConfigurableModuleClass } = new ConfigurableModuleBuilder<Chain>({ optionsInjectionToken: CHAIN }).build();

/** Provides the chain to index as `CHAIN`, and measures the requests to its node. */
@Module({ exports: [CHAIN] })
export class ChainModule extends ConfigurableModuleClass {
  constructor(@Inject(CHAIN) { rpc }: Chain, registry: Registry) {
    super();
    const duration = new Histogram({
      name: 'fresnel_rpc_request_seconds',
      help: 'Duration of requests to the Solana node by outcome: "ok", the JSON-RPC code, the HTTP status or "unavailable"',
      labelNames: ['method', 'outcome'],
      buckets: SECONDS_BUCKETS,
      registers: [registry],
    });
    if (!rpc) return;
    rpc.onAttempt = (method, outcome, seconds) => {
      duration.observe({ method, outcome }, seconds);
    };
  }
}
