import { type Socket } from 'node:net';
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
    whenOver(reply, () => {
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

function limitSending(reply: FastifyReply, sendTimeoutMs: number): void {
  const timer = after(sendTimeoutMs, () => reply.raw.destroy());
  whenOver(reply, () => {
    timer.cancel();
  });
}

/** What to call when a connection closes. */
const callsByConnection = new WeakMap<Socket, Set<() => void>>();

/**
 * Makes a call once: when all bytes of a response are handed to the operating system, or its connection has closed. Before Node 26, a
 * response that waits for the one before it on its connection is not told that the connection has closed.
 */
function whenOver({ raw }: FastifyReply, call: () => void): void {
  const { socket } = raw.req;
  const calls = callsOf(socket);
  const end = () => {
    if (calls.delete(end)) call();
  };
  calls.add(end);
  raw.once('close', end);
  if (socket.destroyed) end();
}

function callsOf(socket: Socket): Set<() => void> {
  const known = callsByConnection.get(socket);
  if (known) return known;
  const calls = new Set<() => void>();
  callsByConnection.set(socket, calls);
  socket.once('close', () => {
    for (const end of calls) end();
  });
  return calls;
}
