import { randomUUID } from 'node:crypto';
import { type Server } from 'node:http';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { type FastifyHttpOptions } from 'fastify';
import { type GatewayOptions } from '../gateway.options';
import { createTrust } from '../limits/trusted-proxies';
import { refuseConnection, refuseTunnel } from './connection-refusals';
import { sendRefusal, WRONG_VERB } from './refusal';

/** Load balancers keep idle connections for 60 s; the side that sends requests must be the one that ends them. */
const KEEP_ALIVE_MS = 75_000;
/** Ends connections on which nothing moves, such as those whose client does not read. */
const SILENCE_MS = 120_000;
/** How often the server looks for requests that take too long to arrive. */
const CHECK_INTERVAL_MS = 5_000;

/** The HTTP server below a gateway application. @throws MalformedTextError about trusted proxies */
export function createHttpAdapter({ maxBodyBytes, receiveTimeoutMs, trustedProxies }: GatewayOptions): FastifyAdapter {
  const settings: FastifyHttpOptions<Server> = {
    http: {
      // The larger of these two is taken for the body, whichever it is.
      headersTimeout: receiveTimeoutMs,
      requestTimeout: receiveTimeoutMs,
      connectionsCheckingInterval: Math.min(receiveTimeoutMs, CHECK_INTERVAL_MS),
    },
    bodyLimit: maxBodyBytes,
    requestTimeout: receiveTimeoutMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionTimeout: SILENCE_MS,
    return503OnClosing: false,
    trustProxy: createTrust(trustedProxies),
    exposeHeadRoutes: false,
    routerOptions: { ignoreTrailingSlash: true },
    genReqId: () => randomUUID(),
    // All calls go to the one route that dispatches; it looks at the path itself.
    rewriteUrl: ({ method, url = '/' }) => (method === 'POST' || method === 'OPTIONS' ? '/' : url),
    frameworkErrors: (_error, _request, reply) => {
      sendRefusal(reply, WRONG_VERB);
    },
    clientErrorHandler: refuseConnection,
  };
  const adapter = new FastifyAdapter(settings);
  adapter.getHttpServer().on('connect', refuseTunnel);
  return adapter;
}
