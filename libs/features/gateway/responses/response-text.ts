import { type RpcFailure } from './rpc-failure';

/** A JSON-RPC response with a result. @param id as JSON text @param result as JSON text */
export function successText(id: string, result: string): string {
  return `{"jsonrpc":"2.0","id":${id},"result":${result}}`;
}

/** A JSON-RPC response with an error. @param id as JSON text */
export function failureText(id: string, { kind, message, data, json }: RpcFailure): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${json ?? JSON.stringify({ code: kind.code, message, data })}}`;
}
