import { type RpcFailure } from './rpc-failure';

/** @param id as JSON text @param result as JSON text */
export function successText(id: string, result: string): string {
  return `{"jsonrpc":"2.0","id":${id},"result":${result}}`;
}

/** @param id as JSON text */
export function failureText(id: string, { kind, message }: RpcFailure): string {
  return `{"jsonrpc":"2.0","id":${id},"error":{"code":${kind.code},"message":${JSON.stringify(message)}}}`;
}
