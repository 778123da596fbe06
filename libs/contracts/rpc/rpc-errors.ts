/** One kind of error that a caller can get. */
export interface RpcErrorKind {
  readonly code: number;
  /** Errors of a well-received call travel in a 200: clients that see another status drop the body. */
  readonly httpStatus: 200 | 429 | 500;
  readonly meaning: string;
}

/** Every code that the gateway answers with. */
export const RPC_ERRORS = {
  parseError: { code: -32700, httpStatus: 200, meaning: 'The body is not JSON in UTF-8.' },
  invalidRequest: {
    code: -32600,
    httpStatus: 200,
    meaning: 'The body is not a request object, or not a batch of them.',
  },
  methodNotFound: { code: -32601, httpStatus: 200, meaning: 'There is no such method.' },
  invalidParams: { code: -32602, httpStatus: 200, meaning: 'A parameter is missing, malformed or unknown.' },
  stateRefused: { code: -32000, httpStatus: 200, meaning: 'The request is fine, the present state refuses it.' },
  internalError: {
    code: -32603,
    httpStatus: 500,
    meaning: 'Something behind the gateway failed or took too long. Inside a batch the status stays 200.',
  },
  tooManyRequests: { code: -32005, httpStatus: 429, meaning: 'The caller has used up its points for now.' },
} as const satisfies Record<string, RpcErrorKind>;

export type RpcErrorName = keyof typeof RPC_ERRORS;
