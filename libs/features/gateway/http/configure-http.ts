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

/** How long browsers may cache the answer to a CORS preflight. */
const PREFLIGHT_MAX_AGE_SECONDS = 86_400;
/** Shorter responses are not compressed. */
const COMPRESS_FROM_BYTES = 1024;

/** Adds CORS, compression and the checks before the body is read to an application with the adapter of `createHttpAdapter`. */
export async function configureHttp(app: NestFastifyApplication): Promise<void> {
  app.enableCors({
    origin: '*',
    methods: ['POST'],
    // Without a list, the headers that the preflight asks for.
    exposedHeaders: ['Retry-After', 'RateLimit', 'RateLimit-Policy'],
    maxAge: PREFLIGHT_MAX_AGE_SECONDS,
    strictPreflight: false,
  });
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  allowPrivateNetwork(fastify);
  shedLoad(
    fastify,
    app.get(LoadShedder, { strict: false }),
    app.get<GatewayOptions>(GATEWAY_OPTIONS, { strict: false }).GATEWAY_SEND_TIMEOUT_MS,
  );
  await app.register(fastifyCompress, {
    encodings: ['br', 'gzip'],
    threshold: COMPRESS_FROM_BYTES,
    globalDecompression: false,
  });
  sendRequestIds(fastify);
  rejectUnsupportedRequests(fastify);
  readBodiesAsBytes(fastify);
  closeConnectionsOnShutdown(fastify, app.get(HealthChecks, { strict: false }));
}

/** Lets pages of the internet call a gateway on a laptop: some browsers ask for it in the preflight. */
function allowPrivateNetwork(fastify: FastifyInstance): void {
  fastify.addHook('onSend', ({ headers }, reply, payload, done) => {
    if (headers['access-control-request-private-network'] === 'true') {
      reply.header('Access-Control-Allow-Private-Network', 'true');
    }
    done(null, payload);
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
