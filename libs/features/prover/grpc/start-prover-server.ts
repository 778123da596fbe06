import { type NestOptions } from '@fresnel/platform';
import { type DynamicModule, type INestMicroservice, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type CustomStrategy } from '@nestjs/microservices';
import { ProverGrpcServer, type ProverServerOptions } from './prover.grpc-server';

export interface RunningProverServer {
  app: INestMicroservice;
  port: number;
  /** Accepts no more calls, waits for calls in progress, and cancels them after `closeTimeoutMs`. */
  close(): Promise<void>;
}

/**
 * Starts a microservice that answers the calls of prover.v1.proto. Resolves once it is listening.
 *
 * @param root a module that imports `ProverServerModule`
 */
export async function startProverServer(
  root: Type | DynamicModule,
  options: ProverServerOptions,
  nestOptions: NestOptions,
): Promise<RunningProverServer> {
  const strategy = new ProverGrpcServer(options);
  const app = await NestFactory.createMicroservice<CustomStrategy>(root, { strategy, ...nestOptions });
  await app.listen();
  let closed: Promise<void> | undefined;
  return { app, port: strategy.port, close: () => (closed ??= app.close()) };
}
