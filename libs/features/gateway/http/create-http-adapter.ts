import { randomUUID } from 'node:crypto';
import { type Server } from 'node:http';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { type FastifyHttpOptions } from 'fastify';
import { type GatewayOptions } from '../gateway.options';
import { createTrust } from '../limits/trusted-proxies';
import { METHOD_NOT_ALLOWED, sendErrorResponse } from '../responses/error-response';
import { rejectConnection, rejectTunnel } from './connection-errors';

/** Closes connections without traffic, such as those of a client that does not read its response. */
const SOCKET_TIMEOUT_MS = 120_000;
/** How often the server checks for requests that exceed the receive timeout. */
const CHECK_INTERVAL_MS = 5_000;

/** Creates the Fastify adapter of a gateway application. @throws MalformedTextError about trusted proxies */
export function createHttpAdapter({ receiveTimeoutMs, ...config }: GatewayOptions): FastifyAdapter {
  const fastifyOptions: FastifyHttpOptions<Server> = {
    http: {
      // Node applies the larger of these two to the body.
      headersTimeout: receiveTimeoutMs,
      requestTimeout: receiveTimeoutMs,
      connectionsCheckingInterval: Math.min(receiveTimeoutMs, CHECK_INTERVAL_MS),
    },
    bodyLimit: config.GATEWAY_MAX_BODY_BYTES,
    requestTimeout: receiveTimeoutMs,
    keepAliveTimeout: config.GATEWAY_KEEP_ALIVE_SECONDS * 1000,
    connectionTimeout: SOCKET_TIMEOUT_MS,
    return503OnClosing: false,
    trustProxy: createTrust(config.GATEWAY_TRUSTED_PROXIES),
    // Load balancers and monitors probe with HEAD too.
    exposeHeadRoutes: true,
    routerOptions: { ignoreTrailingSlash: true },
    genReqId: () => randomUUID(),
    // Every POST goes to the route of RpcController, which reads the method from the original path. Leading slashes of a page collapse
    // as those of a method do.
    rewriteUrl: ({ method, url = '/' }) =>
      method === 'POST' || method === 'OPTIONS' ? '/' : url.replace(/^\/{2,}/, '/'),
    frameworkErrors: (_error, _request, reply) => {
      sendErrorResponse(reply, METHOD_NOT_ALLOWED);
    },
    clientErrorHandler: rejectConnection,
  };
  const adapter = new FastifyAdapter(fastifyOptions);
  adapter.getHttpServer().on('connect', rejectTunnel);
  return adapter;
}
