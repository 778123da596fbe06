import { RPC_ERRORS, type RpcErrorKind } from '@fresnel/contracts/rpc';

/** An error as a caller gets it. */
export interface RpcFailure {
  kind: RpcErrorKind;
  message: string;
}

export const PARSE_ERROR: RpcFailure = { kind: RPC_ERRORS.parseError, message: 'Parse error' };
export const METHOD_NOT_FOUND: RpcFailure = { kind: RPC_ERRORS.methodNotFound, message: 'Method not found' };
export const TOO_MANY_REQUESTS: RpcFailure = { kind: RPC_ERRORS.tooManyRequests, message: 'Too many requests' };
/** Nothing more: what happened is in the log. */
export const INTERNAL_ERROR: RpcFailure = { kind: RPC_ERRORS.internalError, message: 'Internal error' };

export function invalidRequest(why: string): RpcFailure {
  return { kind: RPC_ERRORS.invalidRequest, message: `Invalid Request: ${why}` };
}

/** @param sentence for the caller */
export function stateRefused(sentence: string): RpcFailure {
  return { kind: RPC_ERRORS.stateRefused, message: sentence };
}
