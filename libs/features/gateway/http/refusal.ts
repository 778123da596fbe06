import { type FastifyReply } from 'fastify';
import { failureText } from '../rpc/response-text';
import { INTERNAL_ERROR, invalidRequest, type RpcFailure } from '../rpc/rpc-failure';

export const JSON_TYPE = 'application/json; charset=utf-8';
export const ALLOWED_VERBS = 'POST, OPTIONS';

/** The answer to a request that does not get as far as its calls. */
export interface Refusal {
  httpStatus: number;
  failure: RpcFailure;
}

export const WRONG_VERB: Refusal = { httpStatus: 405, failure: invalidRequest('only POST is answered here') };
export const BROKEN_OFF: Refusal = { httpStatus: 400, failure: invalidRequest('the body did not arrive whole') };
export const NOT_HTTP: Refusal = { httpStatus: 400, failure: invalidRequest('not a request in HTTP') };
export const TOO_SLOW: Refusal = { httpStatus: 408, failure: invalidRequest('the request did not arrive in time') };
export const LARGE_HEADERS: Refusal = { httpStatus: 431, failure: invalidRequest('the headers are too large') };
export const FAILED: Refusal = { httpStatus: 500, failure: INTERNAL_ERROR };

export function wrongContent(why: string): Refusal {
  return { httpStatus: 415, failure: invalidRequest(why) };
}

export function largeBody(maxBodyBytes: number): Refusal {
  return { httpStatus: 413, failure: invalidRequest(`the body is larger than ${maxBodyBytes} bytes`) };
}

/** The body that says so; nothing is known of an id. */
export function refusalText({ failure }: Refusal): string {
  return failureText('null', failure);
}

export function sendRefusal(reply: FastifyReply, refusal: Refusal): void {
  if (refusal.httpStatus === 405) reply.header('Allow', ALLOWED_VERBS);
  reply.code(refusal.httpStatus).header('Content-Type', JSON_TYPE).send(refusalText(refusal));
}
