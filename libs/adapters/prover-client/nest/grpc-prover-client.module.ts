import { ConfigurableModuleBuilder, Module, type OnApplicationShutdown } from '@nestjs/common';
import { GrpcProverClient, type GrpcProverClientOptions } from '../grpc.prover-client';
import { PROVER_CLIENT } from '../prover-client';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } =
  new ConfigurableModuleBuilder<GrpcProverClientOptions>().build();

/** Provides a gRPC client of provers as `PROVER_CLIENT`. */
@Module({
  providers: [
    {
      provide: GrpcProverClient,
      inject: [MODULE_OPTIONS_TOKEN],
      useFactory: (options: GrpcProverClientOptions) => new GrpcProverClient(options),
    },
    { provide: PROVER_CLIENT, useExisting: GrpcProverClient },
  ],
  exports: [PROVER_CLIENT],
})
export class GrpcProverClientModule extends ConfigurableModuleClass implements OnApplicationShutdown {
  constructor(private readonly client: GrpcProverClient) {
    super();
  }

  onApplicationShutdown(): void {
    this.client.close();
  }
}
