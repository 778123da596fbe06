import { RPC_ERRORS, type RpcErrorKind } from '@fresnel/contracts/rpc';

/** An error as the caller receives it. */
export interface RpcFailure {
  kind: RpcErrorKind;
  message: string;
  /** Further members of the error. */
  data?: object;
  /** The whole error as JSON text, if a node answered with it. */
  json?: string;
}

export const PARSE_ERROR: RpcFailure = { kind: RPC_ERRORS.parseError, message: 'Parse error' };
export const METHOD_NOT_FOUND: RpcFailure = { kind: RPC_ERRORS.methodNotFound, message: 'Method not found' };
export const TOO_MANY_REQUESTS: RpcFailure = { kind: RPC_ERRORS.tooManyRequests, message: 'Too many requests' };
export const TOO_MANY_SUBSCRIPTIONS: RpcFailure = {
  kind: RPC_ERRORS.tooManyRequests,
  message: 'Too many subscriptions',
};
export const TOO_MANY_FILTER_VALUES: RpcFailure = {
  kind: RPC_ERRORS.tooManyRequests,
  message: 'Too many filter values on this connection',
};
export const OVERLOAD: RpcFailure = { kind: RPC_ERRORS.overloaded, message: 'Overloaded' };
/** Carries no detail: the cause is only logged. */
export const INTERNAL_ERROR: RpcFailure = { kind: RPC_ERRORS.internalError, message: 'Internal error' };

export const NODE_UNAVAILABLE: RpcFailure = {
  kind: RPC_ERRORS.internalError,
  message: 'The Solana node does not answer',
};

export function invalidRequest(reason: string): RpcFailure {
  return { kind: RPC_ERRORS.invalidRequest, message: `Invalid Request: ${reason}` };
}

/** @param message a sentence for the caller */
export function stateError(message: string): RpcFailure {
  return { kind: RPC_ERRORS.stateError, message };
}
