import { Histogram, Registry } from '@fresnel/platform';
import { ConfigurableModuleBuilder, Module } from '@nestjs/common';
import { HttpValidityProver, type HttpValidityProverOptions } from '../http.validity-prover';

export type HttpValidityProverModuleOptions = Omit<HttpValidityProverOptions, 'onAttempt'>;

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<{
  /** Null: no prover is configured. */
  prover: HttpValidityProverModuleOptions | null;
}>().build();

/** Proofs take longer than other requests. */
const PROOF_SECONDS_BUCKETS = [0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32];

/** Provides an HTTP client of validity provers; null without a prover. */
@Module({
  providers: [
    {
      provide: HttpValidityProver,
      inject: [MODULE_OPTIONS_TOKEN, Registry],
      useFactory: ({ prover }: { prover: HttpValidityProverModuleOptions | null }, registry: Registry) =>
        prover && new HttpValidityProver({ ...prover, onAttempt: createObserver(registry) }),
    },
  ],
  exports: [HttpValidityProver],
})
export class HttpValidityProverModule extends ConfigurableModuleClass {}

function createObserver(registry: Registry): HttpValidityProverOptions['onAttempt'] {
  const duration = new Histogram({
    name: 'fresnel_gateway_validity_proof_seconds',
    help: 'Duration of requests to validity provers by outcome: "ok", "rejected" or "unavailable".',
    labelNames: ['outcome'],
    buckets: PROOF_SECONDS_BUCKETS,
    registers: [registry],
  });
  return (outcome, seconds) => {
    duration.observe({ outcome }, seconds);
  };
}
