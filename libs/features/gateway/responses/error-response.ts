import { type FastifyReply } from 'fastify';
import { failureText } from './response-text';
import { INTERNAL_ERROR, invalidRequest, OVERLOAD, type RpcFailure } from './rpc-failure';

export const JSON_TYPE = 'application/json; charset=utf-8';
export const ALLOWED_METHODS = 'POST, OPTIONS';

/** The response to an HTTP request whose body is not read as JSON-RPC. Its `id` is null. */
export interface ErrorResponse {
  httpStatus: number;
  failure: RpcFailure;
}

export const INCOMPLETE_BODY: ErrorResponse = { httpStatus: 400, failure: invalidRequest('the body is incomplete') };
export const MALFORMED_HTTP: ErrorResponse = { httpStatus: 400, failure: invalidRequest('not a valid HTTP request') };
export const METHOD_NOT_ALLOWED: ErrorResponse = { httpStatus: 405, failure: invalidRequest('only POST is allowed') };
export const REQUEST_TIMEOUT: ErrorResponse = {
  httpStatus: 408,
  failure: invalidRequest('the request was not received in time'),
};
export const HEADERS_TOO_LARGE: ErrorResponse = {
  httpStatus: 431,
  failure: invalidRequest('the headers are too large'),
};
export const INTERNAL_SERVER_ERROR: ErrorResponse = { httpStatus: 500, failure: INTERNAL_ERROR };

/** Sent with `Retry-After`. */
export const OVERLOADED: ErrorResponse = { httpStatus: 503, failure: OVERLOAD };

const OVERLOADED_RETRY_SECONDS = 1;

export function unsupportedMediaType(reason: string): ErrorResponse {
  return { httpStatus: 415, failure: invalidRequest(reason) };
}

export function bodyTooLarge(maxBodyBytes: number): ErrorResponse {
  return { httpStatus: 413, failure: invalidRequest(`the body is larger than ${maxBodyBytes} bytes`) };
}

/** The body of the response. */
export function errorResponseText({ failure }: ErrorResponse): string {
  return failureText('null', failure);
}

export function sendErrorResponse(reply: FastifyReply, response: ErrorResponse): void {
  if (response === OVERLOADED) reply.header('Retry-After', OVERLOADED_RETRY_SECONDS);
  if (response.httpStatus === 405) reply.header('Allow', ALLOWED_METHODS);
  reply.code(response.httpStatus).header('Content-Type', JSON_TYPE).send(errorResponseText(response));
}
