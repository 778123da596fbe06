import { after } from '@fresnel/platform/time';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { clientOf } from '../limits/client-address';
import { type AdmittedRequest, type LoadShedder } from '../limits/load-shedder';
import { OVERLOADED, sendErrorResponse } from '../responses/error-response';

/**
 * Answers 503 to POST requests beyond the budgets, before their body is read, and closes connections whose client takes
 * too long to read a response. Must be added before compression, so that it sees the uncompressed response.
 */
export function shedLoad(fastify: FastifyInstance, shedder: LoadShedder, sendTimeoutMs: number): void {
  const admitted = new WeakMap<FastifyRequest, AdmittedRequest>();
  fastify.addHook('onRequest', (request, reply, done) => {
    if (request.method !== 'POST') {
      done();
      return;
    }
    const { ip, ips = [ip] } = request;
    const entry = shedder.admit(clientOf(ips));
    if (!entry) {
      sendErrorResponse(reply, OVERLOADED);
      return;
    }
    admitted.set(request, entry);
    reply.raw.once('close', () => {
      entry.end();
    });
    done();
  });
  fastify.addHook('onSend', (request, reply, payload, done) => {
    // Long responses are streams with a length.
    const length = typeof payload === 'string' ? Buffer.byteLength(payload) : Number(reply.getHeader('content-length'));
    if (length > 0) admitted.get(request)?.addResponse(length);
    limitSending(reply, sendTimeoutMs);
    done(null, payload);
  });
}

/** A response is closed when all its bytes are handed to the operating system, or the connection has closed. */
function limitSending({ raw }: FastifyReply, sendTimeoutMs: number): void {
  const timer = after(sendTimeoutMs, () => raw.destroy());
  raw.once('close', () => {
    timer.cancel();
  });
}
