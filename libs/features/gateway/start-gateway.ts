import { type Server } from 'node:http';
import { toNestLogger } from '@fresnel/platform';
import { type NestApplicationOptions } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { GatewayModule, type GatewayParts } from './gateway.module';
import { type GatewayOptions } from './gateway.options';
import { configureHttp } from './http/configure-http';
import { createHttpAdapter } from './http/create-http-adapter';

export interface RunningGateway {
  url: string;
  port: number;
  /** Takes no more requests, waits for answers that are being worked on, and ends what takes too long. */
  close(): Promise<void>;
}

/** Starts a gateway that listens when the promise is kept. */
export async function startGateway(options: GatewayOptions, parts: GatewayParts): Promise<RunningGateway> {
  const nestOptions: Pick<NestApplicationOptions, 'bodyParser' | 'abortOnError' | 'logger'> = {
    bodyParser: false,
    abortOnError: false,
    logger: toNestLogger(parts.logger),
  };
  const app = await NestFactory.create<NestFastifyApplication>(
    GatewayModule.register(options, parts),
    createHttpAdapter(options),
    nestOptions,
  );
  await configureHttp(app);
  await app.listen(options.port, options.host);
  const server: Server = app.getHttpServer();
  const port = portOf(server);
  let closed: Promise<void> | undefined;
  return {
    url: `http://${hostInUrl(options.host)}:${port}`,
    port,
    close: () => (closed ??= close(app, server, options.closeTimeoutMs)),
  };
}

async function close(app: NestFastifyApplication, server: Server, timeoutMs: number): Promise<void> {
  const timer = setTimeout(() => {
    server.closeAllConnections();
  }, timeoutMs);
  try {
    await app.close();
  } finally {
    clearTimeout(timer);
  }
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('the gateway listens on no port');
  return address.port;
}

/** A host to call for a host to listen on. */
function hostInUrl(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
