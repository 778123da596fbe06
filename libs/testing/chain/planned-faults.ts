/** What the node does instead of answering. */
export type Fault =
  | { kind: 'status'; status: number; retryAfter?: string; location?: string }
  /** Sends half of the answer and closes the connection. */
  | { kind: 'cut' }
  /** Never answers. */
  | { kind: 'silence' }
  /** Answers after a promise has settled. */
  | { kind: 'late'; until: Promise<unknown> }
  /** Answers with a JSON-RPC error. @param httpStatus default 200 */
  | { kind: 'error'; code: number; message?: string; data?: unknown; httpStatus?: number; retryAfter?: string }
  /** Resets the connection. */
  | { kind: 'reset' }
  /** Answers with another result than its own. */
  | { kind: 'result'; result: unknown }
  /** Answers with another result, as JSON text. */
  | { kind: 'json'; text: string }
  /** Answers with this body. */
  | { kind: 'body'; text: string }
  /** Answers with this body, compressed. */
  | { kind: 'gzip'; text: string };

/** The requests that a fault happens to; null: any. */
export interface FaultTerms {
  method: string | null;
  slot: number | null;
  /** Only requests at this commitment. */
  commitment: Commitment | null;
  /** Only `getBlocks` of more slots. */
  moreThan: number | null;
  times: number;
}

type Commitment = 'confirmed' | 'finalized';

interface Request {
  method: string;
  params: unknown[];
}

/** The faults that a test has planned. */
export class PlannedFaults {
  private readonly planned: (FaultTerms & { fault: Fault })[] = [];

  plan(
    fault: Fault,
    { method = null, slot = null, commitment = null, moreThan = null, times = 1 }: Partial<FaultTerms> = {},
  ): void {
    this.planned.push({ fault, method, slot, commitment, moreThan, times });
  }

  clear(): void {
    this.planned.length = 0;
  }

  /** The fault of a request, which then happens once less. */
  take({ method, params }: Request): Fault | null {
    const planned = this.planned.find(
      (each) =>
        each.times > 0 &&
        (each.method ?? method) === method &&
        (each.commitment === null || each.commitment === commitmentOf(params)) &&
        (each.moreThan === null || (method === 'getBlocks' && sizeOf(params) > each.moreThan)) &&
        (each.slot === null || (method === 'getBlock' && each.slot === params[0])),
    );
    if (!planned) return null;
    planned.times--;
    return planned.fault;
  }
}

/** Slots of a list. */
function sizeOf([from, to]: unknown[]): number {
  return Number(to) - Number(from) + 1;
}

/** The commitment of a request: it is in the last parameter. */
export function commitmentOf(params: unknown[]): Commitment {
  const config = params.at(-1);
  const isFinalized =
    typeof config === 'object' && config !== null && 'commitment' in config && config.commitment === 'finalized';
  return isFinalized ? 'finalized' : 'confirmed';
}
