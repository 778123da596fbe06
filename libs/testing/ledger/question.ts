/** A request to a gateway, and the oracle's answer to it: a result, or an error code. */
export interface Question {
  method: string;
  params: unknown;
  expected: unknown;
}

/** An answer that is an error. */
export class ErrorCode {
  constructor(readonly code: number) {}
}

/** Error codes of JSON-RPC. */
export const INVALID_PARAMS = new ErrorCode(-32602);
export const STATE_ERROR = new ErrorCode(-32000);
