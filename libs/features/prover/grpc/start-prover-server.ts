import { toNestLogger } from '@fresnel/platform';
import { NestFactory } from '@nestjs/core';
import { type CustomStrategy } from '@nestjs/microservices';
import { ProverServerModule, type ProverServerParts } from './prover-server.module';
import { ProverGrpcServer, type ProverServerOptions } from './prover.grpc-server';

export interface RunningProverServer {
  port: number;
  /** Takes no more calls, waits for those that are under way, and ends what takes too long. */
  close(): Promise<void>;
}

/** Starts a server that answers calls of prover.v1.proto when the promise is kept. */
export async function startProverServer(
  options: ProverServerOptions,
  parts: ProverServerParts,
): Promise<RunningProverServer> {
  const strategy = new ProverGrpcServer(options);
  const app = await NestFactory.createMicroservice<CustomStrategy>(ProverServerModule.register(parts), {
    strategy,
    abortOnError: false,
    logger: toNestLogger(parts.logger),
  });
  await app.listen();
  let closed: Promise<void> | undefined;
  return { port: strategy.port, close: () => (closed ??= app.close()) };
}
