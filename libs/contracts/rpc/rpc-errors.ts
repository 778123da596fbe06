/** A kind of JSON-RPC error. */
export interface RpcErrorKind {
  readonly code: number;
  /** HTTP status of the response. Most errors have 200: clients ignore the body of a response with another status. */
  readonly httpStatus: 200 | 400 | 429 | 500 | 503;
  /** One sentence for the API documentation. */
  readonly meaning: string;
}

/** All errors that the gateway returns. */
export const RPC_ERRORS = {
  parseError: { code: -32700, httpStatus: 200, meaning: 'The body is not JSON in UTF-8.' },
  invalidRequest: {
    code: -32600,
    httpStatus: 200,
    meaning: 'The body is not a valid request object or batch.',
  },
  methodNotFound: { code: -32601, httpStatus: 200, meaning: 'The method does not exist.' },
  invalidParams: { code: -32602, httpStatus: 200, meaning: 'A parameter is missing, malformed or unknown.' },
  stateError: {
    code: -32000,
    httpStatus: 200,
    meaning: 'The request is valid, but the current state of the index does not allow an answer.',
  },
  minContextSlotNotReached: {
    code: -32016,
    httpStatus: 200,
    meaning: 'The slot `minContextSlot` is not indexed yet, after two seconds. `data.contextSlot` is the indexed slot.',
  },
  internalError: {
    code: -32603,
    httpStatus: 500,
    meaning: 'A service behind the gateway failed or timed out. In a batch the HTTP status is 200.',
  },
  overloaded: {
    code: -32603,
    httpStatus: 503,
    meaning: 'The gateway has too many requests or unread responses. Retry after the time in `Retry-After`.',
  },
  tooManyRequests: { code: -32005, httpStatus: 429, meaning: 'The rate limit of the client is exhausted.' },
} as const satisfies Record<string, RpcErrorKind>;

export type RpcErrorName = keyof typeof RPC_ERRORS;
