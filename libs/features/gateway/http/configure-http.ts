import fastifyCompress from '@fastify/compress';
import { HealthChecks } from '@fresnel/platform';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type FastifyInstance, type FastifyRequest } from 'fastify';
import { GATEWAY_OPTIONS, type GatewayOptions } from '../gateway.options';
import { LoadShedder } from '../limits/load-shedder';
import {
  type ErrorResponse,
  METHOD_NOT_ALLOWED,
  sendErrorResponse,
  unsupportedMediaType,
} from '../responses/error-response';
import { findContentProblem } from './content-rules';
import { shedLoad } from './shed-load';

const ANY_ORIGIN = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'Retry-After, RateLimit, RateLimit-Policy',
};
const PREFLIGHT = {
  'Access-Control-Allow-Methods': 'POST',
  'Access-Control-Max-Age': '86400',
  Vary: 'Access-Control-Request-Headers',
  'Content-Length': '0',
};

/** Adds CORS, `reply.compress` and the checks before the body is read to an application with the adapter of `createHttpAdapter`. */
export async function configureHttp(app: NestFastifyApplication): Promise<void> {
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  allowAnyOrigin(fastify);
  shedLoad(
    fastify,
    app.get(LoadShedder, { strict: false }),
    app.get<GatewayOptions>(GATEWAY_OPTIONS, { strict: false }).GATEWAY_SEND_TIMEOUT_MS,
  );
  // Long responses are sent with `reply.compress`: as a hook, compression would also look at all short ones.
  await app.register(fastifyCompress, { encodings: ['br', 'gzip'], global: false, globalDecompression: false });
  sendRequestIds(fastify);
  rejectUnsupportedRequests(fastify);
  readBodiesAsBytes(fastify);
  closeConnectionsOnShutdown(fastify, app.get(HealthChecks, { strict: false }));
}

/**
 * Lets pages of any origin call with any header, pages of the internet also a gateway on a laptop: some browsers ask for that in the preflight.
 * The library for it copies its options for each request, which costs a fifth of the rate of short answers.
 */
function allowAnyOrigin(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', ({ method, headers }, reply, done) => {
    reply.headers(ANY_ORIGIN);
    if (method !== 'OPTIONS') {
      done();
      return;
    }
    const askedHeaders = headers['access-control-request-headers'];
    if (askedHeaders !== undefined) reply.header('Access-Control-Allow-Headers', askedHeaders);
    if (headers['access-control-request-private-network'] === 'true') {
      reply.header('Access-Control-Allow-Private-Network', 'true');
    }
    reply.code(204).headers(PREFLIGHT).send();
  });
}

function sendRequestIds(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    done();
  });
}

function rejectUnsupportedRequests(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    const response = errorResponseTo(request);
    if (response) sendErrorResponse(reply, response);
    else done();
  });
}

/** Null if the request is supported: GET or HEAD for an existing page, or POST with a JSON body. */
function errorResponseTo({ method, is404, headers }: FastifyRequest): ErrorResponse | null {
  if ((method === 'GET' || method === 'HEAD') && !is404) return null;
  if (method !== 'POST') return METHOD_NOT_ALLOWED;
  const problem = findContentProblem(headers);
  return problem === null ? null : unsupportedMediaType(problem);
}

/** `RpcService` parses the JSON itself: it has to answer a parse error with a JSON-RPC response. */
function readBodiesAsBytes(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });
}

/**
 * While the gateway drains and shuts down, each response is the last on its connection. Idle connections stay open until the server is
 * closed: Node 26 counts one as idle whose first request is still on its way.
 */
function closeConnectionsOnShutdown(fastify: FastifyInstance, checks: HealthChecks): void {
  let isClosing = false;
  fastify.addHook('preClose', (done) => {
    isClosing = true;
    done();
  });
  fastify.addHook('onSend', (_request, reply, payload, done) => {
    if (isClosing || checks.isDraining) reply.header('Connection', 'close');
    done(null, payload);
  });
}
