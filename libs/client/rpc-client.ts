import { parseExact } from './exact-json';
import { type Methods, U64_MEMBERS } from './generated/methods';

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

/** Methods by name, with the types of their params and results. */
type MethodTable<Name extends PropertyKey> = Record<Name, { params?: unknown; result: unknown }>;

/** Params may be left out if the method allows it. */
type Arguments<Method extends { params?: unknown }> = undefined extends Method['params']
  ? [params?: Method['params'], options?: CallOptions]
  : [params: Method['params'], options?: CallOptions];

export interface CallOptions {
  signal?: AbortSignal;
}

interface Answer {
  result?: unknown;
  error?: { code: number; message: string };
}

/**
 * Calls the methods of a gateway by HTTP. It does not try again.
 *
 * @typeParam Table types of further methods, for a gateway that forwards some to a Solana node: `Methods & { … }`
 * @example
 * const rpc = new RpcClient('http://127.0.0.1:8784');
 * const { value } = await rpc.call('getCompressedBalanceByOwner', { owner });
 */
export class RpcClient<Table extends MethodTable<keyof Table> = Methods> {
  /** @param url of the gateway, `http:` or `https:` */
  constructor(private readonly url: string) {}

  /**
   * The result of a method. Members that are 64-bit integers by its contract are bigint.
   *
   * @throws RpcError; the reason of `options.signal` if it aborts
   */
  async call<Name extends keyof Table & string>(
    method: Name,
    ...[params, { signal } = {}]: Arguments<Table[Name]>
  ): Promise<Table[Name]['result']> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const response = await this.send(body, signal);
    const { result, error } = await readAnswer(response, method, signal);
    if (!error) return result;
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
    throw new RpcError(error.code, error.message, Number.isFinite(seconds) ? seconds : null);
  }

  private async send(body: string, signal?: AbortSignal): Promise<Response> {
    try {
      return await fetch(this.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body, signal });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new RpcError(null, 'The server does not answer. Is it running?');
    }
  }
}

async function readAnswer(response: Response, method: string, signal: AbortSignal | undefined): Promise<Answer> {
  const text = await readText(response, signal);
  try {
    const answer = parseExact(text, U64_MEMBERS[method]) as Answer | null;
    if (answer) return answer;
  } catch {
    // The same as an empty answer.
  }
  throw new RpcError(null, `The server answered with status ${response.status} and without JSON.`);
}

/** Node 20 and 22 wait for ever for a body if its request is aborted while they decompress it. @throws the signal's reason */
async function readText(response: Response, signal: AbortSignal | undefined): Promise<string> {
  const text = response.text();
  if (!signal) return text;
  text.catch(() => undefined); // nobody waits for it after an abort
  let onAbort: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => {
      reject(signal.reason as Error);
    };
  });
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    signal.throwIfAborted();
    return await Promise.race([text, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
