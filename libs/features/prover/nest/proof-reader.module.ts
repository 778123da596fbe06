import { PROVER_CLIENT } from '@fresnel/adapters/prover-client';
import { PROOF_STORE, type ProofStore } from '@fresnel/adapters/tree-store';
import { poseidon } from '@fresnel/domain/poseidon';
import { HealthChecks, Registry } from '@fresnel/platform';
import { ConfigurableModuleBuilder, Inject, Module, type OnModuleInit } from '@nestjs/common';
import { ProofReader, type ProofReaderOptions } from '../proof.reader';
import { createProofReaderMetrics } from '../prover.metrics';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<ProofReaderOptions>().build();

/**
 * Reads proofs from `PROOF_STORE`, as `PROVER_CLIENT`. Ready once the slot of the trees is known, or that there are none, as on a
 * new chain.
 */
@Module({
  providers: [
    {
      provide: PROVER_CLIENT,
      inject: [PROOF_STORE, MODULE_OPTIONS_TOKEN, Registry],
      useFactory: (store: ProofStore, options: ProofReaderOptions, registry: Registry) =>
        new ProofReader(store, poseidon, options, createProofReaderMetrics(registry)),
    },
  ],
  exports: [PROVER_CLIENT],
})
export class ProofReaderModule extends ConfigurableModuleClass implements OnModuleInit {
  constructor(
    @Inject(PROOF_STORE) private readonly store: ProofStore,
    private readonly checks: HealthChecks,
  ) {
    super();
  }

  onModuleInit(): void {
    this.checks.add(async () => {
      const isKnown = (await this.store.findSlot()) !== null || (await this.store.isEmpty());
      return isKnown ? [] : ['The slot of the trees is not known yet'];
    });
  }
}
