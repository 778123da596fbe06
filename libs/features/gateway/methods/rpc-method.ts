import { type Work } from '@fresnel/contracts/rpc';
import { type JsonText } from '../responses/response-text';

/** What a method is told about a call: it passes the request id to other services. */
export interface CallContext {
  /** Identifies the client's request in logs. */
  requestId?: string;
  /** Receives what the call has read, if the method costs by it. */
  onWork?: (work: Work) => void;
}

/** A JSON-RPC method. A class of this kind parses its params, finds, presents and writes the result. */
export interface RpcMethod {
  readonly name: string;
  /**
   * @param params as sent
   * @returns the result
   * @throws InvalidParamsError, and errors that `failureOf` maps
   */
  call(params: unknown, context?: CallContext): Promise<JsonText>;
}

/** All methods by name. */
export class RpcMethods extends Map<string, RpcMethod> {}
