import fastifyCompress from '@fastify/compress';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type FastifyInstance, type FastifyRequest } from 'fastify';
import { findContentFault } from './content-rules';
import { type Refusal, sendRefusal, wrongContent, WRONG_VERB } from './refusal';

/** Browsers ask again whether they may call after this. */
const PREFLIGHT_SECONDS = 86_400;
/** Shorter answers are sent as they are. */
const COMPRESS_FROM_BYTES = 1024;

/** Puts the rules of transport in front of an application that was created with `createHttpAdapter`. */
export async function configureHttp(app: NestFastifyApplication): Promise<void> {
  app.enableCors({
    origin: '*',
    methods: ['POST'],
    allowedHeaders: ['content-type'],
    exposedHeaders: ['Retry-After', 'RateLimit', 'RateLimit-Policy'],
    maxAge: PREFLIGHT_SECONDS,
    strictPreflight: false,
  });
  await app.register(fastifyCompress, {
    encodings: ['br', 'gzip'],
    threshold: COMPRESS_FROM_BYTES,
    globalDecompression: false,
  });
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  nameRequests(fastify);
  refuseWrongRequests(fastify);
  readBodiesAsBytes(fastify);
  endConnectionsOnClose(fastify);
}

function nameRequests(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    done();
  });
}

function refuseWrongRequests(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    const refusal = refusalOf(request);
    if (refusal) sendRefusal(reply, refusal);
    else done();
  });
}

/** GET is for the few pages that exist, everything else is a call. */
function refusalOf({ method, is404, headers }: FastifyRequest): Refusal | null {
  if (method === 'GET' && !is404) return null;
  if (method !== 'POST') return WRONG_VERB;
  const fault = findContentFault(headers);
  return fault === null ? null : wrongContent(fault);
}

function readBodiesAsBytes(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });
}

/** An answer that is sent while the gateway closes is the last one on its connection. */
function endConnectionsOnClose(fastify: FastifyInstance): void {
  let isClosing = false;
  fastify.addHook('preClose', (done) => {
    isClosing = true;
    done();
  });
  fastify.addHook('onSend', (_request, reply, payload, done) => {
    if (isClosing) reply.header('Connection', 'close');
    done(null, payload);
  });
}
