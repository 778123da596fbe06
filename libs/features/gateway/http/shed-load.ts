import { type Socket } from 'node:net';
import { after, type Timer } from '@fresnel/platform/time';
import { type FastifyInstance, type FastifyReply } from 'fastify';
import { clientOf } from '../limits/client-address';
import { type AdmittedRequest, type LoadShedder } from '../limits/load-shedder';
import { OVERLOADED, sendErrorResponse } from '../responses/error-response';

declare module 'fastify' {
  interface FastifyRequest {
    /** The client whose limits apply. */
    client: string;
    /** Null for preflight requests, and for those that Fastify rejects before its hooks. */
    inProgress: RequestInProgress | null;
  }
}

/** What to end when a request is over. */
interface RequestInProgress {
  admitted: AdmittedRequest | null;
  sendTimer: Timer | null;
}

/**
 * Answers 503 to POST requests beyond the budgets, before their body is read, and closes connections whose client takes
 * too long to read a response.
 */
export function shedLoad(fastify: FastifyInstance, shedder: LoadShedder, sendTimeoutMs: number): void {
  fastify.decorateRequest('client', '');
  fastify.decorateRequest('inProgress', null);
  fastify.addHook('onRequest', (request, reply, done) => {
    const { ip, ips = [ip] } = request;
    request.client = clientOf(ips);
    const inProgress: RequestInProgress = { admitted: null, sendTimer: null };
    request.inProgress = inProgress;
    if (request.method === 'POST') inProgress.admitted = shedder.admit(request.client);
    whenOver(reply, () => {
      inProgress.admitted?.end();
      inProgress.sendTimer?.cancel();
    });
    if (request.method === 'POST' && !inProgress.admitted) sendErrorResponse(reply, OVERLOADED);
    else done();
  });
  fastify.addHook('onSend', ({ inProgress }, reply, payload, done) => {
    if (inProgress && !reply.raw.req.socket.destroyed) {
      inProgress.sendTimer = after(sendTimeoutMs, () => reply.raw.destroy());
    }
    done(null, payload);
  });
}

/** What to call when a connection closes. */
const callsByConnection = new Map<Socket, Set<() => void>>();

/**
 * Makes a call once: when all bytes of a response are handed to the operating system, or its connection has closed. Before Node 26, a
 * response that waits for the one before it on its connection is not told that the connection has closed.
 */
function whenOver({ raw }: FastifyReply, call: () => void): void {
  const { socket } = raw.req;
  if (socket.destroyed) {
    call();
    return;
  }
  const calls = callsOf(socket);
  const end = () => {
    if (calls.delete(end)) call();
  };
  calls.add(end);
  raw.once('close', end);
}

function callsOf(socket: Socket): Set<() => void> {
  const known = callsByConnection.get(socket);
  if (known) return known;
  const calls = new Set<() => void>();
  callsByConnection.set(socket, calls);
  socket.once('close', () => {
    callsByConnection.delete(socket);
    for (const end of calls) end();
  });
  return calls;
}
