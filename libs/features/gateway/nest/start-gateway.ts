import { LOGGER, type Logger, type NestOptions } from '@fresnel/platform';
import { type DynamicModule, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type GatewayOptions } from '../gateway.options';
import { configureHttp } from '../http/configure-http';
import { createHttpAdapter } from '../http/create-http-adapter';

/**
 * Starts an application on Fastify. Resolves once the gateway is listening.
 *
 * @param rootModule imports GatewayModule with the same options
 * @throws the error of the server if it cannot listen
 */
export async function startGateway(
  rootModule: Type | DynamicModule,
  options: GatewayOptions,
  nestOptions: NestOptions,
): Promise<NestFastifyApplication> {
  const app = await NestFactory.create<NestFastifyApplication>(rootModule, createHttpAdapter(options), {
    ...nestOptions,
    bodyParser: false,
  });
  await configureHttp(app);
  await app.listen(options.port, options.host);
  app.get<Logger>(LOGGER, { strict: false }).info({ url: await app.getUrl() }, 'gateway listening');
  return app;
}
