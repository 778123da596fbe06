import { parse } from 'lossless-json';

/** An error of JSON-RPC, or of the way to the server. */
export class RpcError extends Error {
  /** @param code of JSON-RPC; null if there was no answer of the server */
  constructor(
    readonly code: number | null,
    message: string,
    readonly retryAfterSeconds: number | null = null,
  ) {
    super(message);
    this.name = 'RpcError';
  }

  /** The server does not offer the method. */
  get isUnknownMethod(): boolean {
    return this.code === -32601;
  }

  /** The request cannot succeed by being sent again. */
  get isFinal(): boolean {
    return this.code !== null && this.code > -32603 && this.code !== -32005;
  }
}

/** The server of this page. */
export const RPC_URL = new URL('.', location.href.replace(/#.*/, '')).href;

interface Answer<T> {
  result?: T;
  error?: { code: number; message: string };
}

/** Calls a method. Values of u64 members are bigint. @throws RpcError */
export async function call<T>(method: string, params?: unknown, signal?: AbortSignal): Promise<T> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 'explorer', method, ...(params !== undefined && { params }) });
  const response = await send(body, signal);
  const text = await response.text();
  const answer = readAnswer<T>(text, response.status);
  if (answer.error) {
    const after = Number(response.headers.get('retry-after') ?? Number.NaN);
    throw new RpcError(answer.error.code, answer.error.message, Number.isFinite(after) ? after : null);
  }
  return answer.result as T;
}

async function send(body: string, signal?: AbortSignal): Promise<Response> {
  try {
    return await fetch(RPC_URL, { method: 'POST', headers: { 'content-type': 'application/json' }, body, signal });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new RpcError(null, 'The server does not answer. Is it running?');
  }
}

function readAnswer<T>(text: string, status: number): Answer<T> {
  try {
    return parse(text, toContractType, toNumber) as Answer<T>;
  } catch {
    throw new RpcError(null, `The server answered with status ${status} and without JSON.`);
  }
}

/** Members that are u64 in the contract, also when they are small. */
const U64_MEMBERS = new Set([
  ...['lamports', 'amount', 'balance', 'discriminator', 'seq', 'rootSeq', 'queueSize', 'capacity', 'nextIndex'],
]);

function toContractType(name: string, value: unknown): unknown {
  return typeof value === 'number' && U64_MEMBERS.has(name) ? BigInt(value) : value;
}

function toNumber(digits: string): number | bigint {
  const number = Number(digits);
  return Number.isSafeInteger(number) || !/^-?\d+$/.test(digits) ? number : BigInt(digits);
}
