import { encodeObject } from './encode-list';
import { type RpcFailure } from './rpc-failure';

/** JSON: a text, or the encoded parts of a long text. */
export type JsonText = string | readonly Buffer[];

/** The size of a text in bytes. */
export function sizeOfText(text: JsonText): number {
  if (typeof text === 'string') return Buffer.byteLength(text);
  return text.reduce((bytes, part) => bytes + part.length, 0);
}

/** A JSON-RPC response with a result. @param id as JSON text */
export function successText(id: string, result: JsonText): JsonText {
  if (typeof result !== 'string') return encodeObject({ jsonrpc: '"2.0"', id, result });
  return `{"jsonrpc":"2.0","id":${id},"result":${result}}`;
}

/** The response to a batch. @param responses at least one */
export function batchText(responses: readonly JsonText[]): JsonText {
  if (responses.every((text) => typeof text === 'string')) return `[${responses.join(',')}]`;
  const parts = responses.flatMap((text, at) => [
    Buffer.from(at === 0 ? '[' : ','),
    ...(typeof text === 'string' ? [Buffer.from(text)] : text),
  ]);
  return [...parts, Buffer.from(']')];
}

/** A JSON-RPC response with an error. @param id as JSON text */
export function failureText(id: string, { kind, message, data, json }: RpcFailure): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${json ?? JSON.stringify({ code: kind.code, message, data })}}`;
}
