import { type RpcAnswerError } from './rpc-answer';

/** Invalid request, method or parameters: a bug here, or the node does not support the method. */
export const UNSUPPORTED = [-32600, -32601, -32602];
/** The node does not list the accounts of the program. */
const NOT_INDEXED = -32010;
/** The node has deleted the block. */
export const CLEANED_UP = -32001;
export const VERSION_NOT_SUPPORTED = -32015;

/** A single endpoint may be several nodes behind a load balancer, so what one of them lacks counts when it is given twice. */
const DOUBTED = [...UNSUPPORTED, CLEANED_UP, VERSION_NOT_SUPPORTED];
const TIMES_IF_DOUBTED = 2;

/** HTTP statuses from 400 to 499 after which the same request may succeed. */
const PASSING = [408, 425, 429];

/** Whether an HTTP status says that the server does not serve this request, now or later. */
export function isRefusedStatus(httpStatus: number | null): boolean {
  return httpStatus !== null && httpStatus >= 400 && httpStatus < 500 && !PASSING.includes(httpStatus);
}

/** Whether an answer says that the node does not offer a method, or not to this client. */
export function isNotOffered({ rpcCode, httpStatus }: RpcAnswerError): boolean {
  return [...UNSUPPORTED, NOT_INDEXED].includes(rpcCode) || isRefusedStatus(httpStatus);
}

/**
 * Groups of JSON-RPC error codes, most important code first. A group is final once every endpoint has given one of its codes.
 * `all`: any code is final.
 */
export type FinalCodes = readonly (readonly number[])[] | 'all';

/** What the endpoints have refused in one call. */
export class Refusals {
  /** By endpoint. */
  private readonly newest = new Map<number, RpcAnswerError>();
  private doubted = 0;
  private newestOfAll: RpcAnswerError | null = null;

  constructor(
    private readonly finalCodes: FinalCodes,
    private readonly endpoints: number,
  ) {}

  /** The newest refusal; null if there is none. */
  get last(): RpcAnswerError | null {
    return this.newestOfAll;
  }

  /** @returns the error to throw: of those of all endpoints, the most important one; null if another endpoint may know better */
  add(endpoint: number, error: RpcAnswerError): RpcAnswerError | null {
    this.newest.set(endpoint, error);
    this.newestOfAll = error;
    if (DOUBTED.includes(error.rpcCode)) this.doubted++;
    if (this.newest.size < this.endpoints) return null;
    const isDoubted = this.endpoints === 1 && DOUBTED.includes(error.rpcCode);
    return isDoubted && this.doubted < TIMES_IF_DOUBTED ? null : this.findFinal(error);
  }

  private findFinal(last: RpcAnswerError): RpcAnswerError | null {
    if (this.finalCodes === 'all') return last;
    const given = [...this.newest.values()];
    const groups = [...this.finalCodes, UNSUPPORTED];
    const group = groups.find((codes) => given.every(({ rpcCode }) => codes.includes(rpcCode)));
    const code = group?.find((each) => given.some(({ rpcCode }) => rpcCode === each));
    return given.findLast(({ rpcCode }) => rpcCode === code) ?? null;
  }
}
