import { LOGGER, type Logger, type NestOptions } from '@fresnel/platform';
import { type DynamicModule, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type GatewayOptions } from '../gateway.options';
import { listenPortsOf } from '../listen-ports';
import { configureHttp } from '../http/configure-http';
import { createHttpAdapter } from '../http/create-http-adapter';
import { SocketServer } from '../websocket/socket-server';

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
  const { port, webSocketPort } = await listenPortsOf(options);
  const app = await NestFactory.create<NestFastifyApplication>(rootModule, createHttpAdapter(options), {
    ...nestOptions,
    bodyParser: false,
  });
  await configureHttp(app);
  const { GATEWAY_HOST: host } = options;
  const sockets = app.get(SocketServer, { strict: false });
  sockets.attach(app.getHttpServer());
  try {
    await app.listen(port, host);
    if (webSocketPort !== null) await sockets.listen(host, webSocketPort);
  } catch (error) {
    await app.close();
    throw error;
  }
  app.get<Logger>(LOGGER, { strict: false }).info({ url: await app.getUrl(), webSocketPort }, 'gateway listening');
  return app;
}
