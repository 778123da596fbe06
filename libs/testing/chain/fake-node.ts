import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { writeExactJson } from '@fresnel/testing/generic';
import { FakeAccounts } from './fake-accounts';
import { type FakeBlock } from './fake-chain';
import { commitmentOf, type Fault, type FaultTerms, PlannedFaults } from './planned-faults';

export interface NodeRequest {
  id: unknown;
  method: string;
  params: unknown[];
  headers: IncomingMessage['headers'];
  /** When the request arrived, by `performance.now`. */
  at: number;
}

/** JSON-RPC error codes of `getBlock`. */
export const SLOT_SKIPPED = -32007;
export const LONG_TERM_SLOT_SKIPPED = -32009;
export const BLOCK_CLEANED_UP = -32001;
export const BLOCK_NOT_AVAILABLE = -32004;
export const MIN_CONTEXT_SLOT_NOT_REACHED = -32016;
/** JSON-RPC error code of `sendTransaction`. */
const TRANSACTION_REFUSED = -32002;

/** Answers JSON-RPC over HTTP like a Solana node, with faults that a test plans. */
export class FakeNode {
  /** All requests, oldest first. */
  readonly requests: NodeRequest[] = [];
  readonly accounts = new FakeAccounts();
  /** Answers of further methods, by name, which `writeExactJson` writes. One that throws refuses the transaction that was sent. */
  readonly methods = new Map<string, (params: unknown[]) => unknown>();
  /** Existing blocks that `getBlocks` does not list. */
  readonly unlisted = new Set<number>();
  genesisHash = '4sGjMW1sUnHzSxGspuhpqLDx6wiyjNtZAMdL4VZHirAn';
  /** The slot that the node reports as its newest. It does not serve later blocks yet. */
  tip = 0;
  /** The newest finalized slot is so many slots before the tip. */
  finalizedLag = 0;
  /** The node has deleted all older blocks. */
  firstAvailable = 0;
  /** Answers requests for accounts as of this many slots before the tip. */
  accountLag = 0;
  /** Answers also as of a slot below `minContextSlot`, like a proxy that does not pass it on. */
  ignoresMinContextSlot = false;

  private readonly faults = new PlannedFaults();
  private readonly blocks = new Map<number, string>();
  private readonly arrivals = new EventEmitter();

  private constructor(private readonly server: Server) {}

  /** Starts a node that has these blocks. Its tip is the last of them. */
  static async start(blocks: readonly FakeBlock[] = [], port = 0): Promise<FakeNode> {
    const server = createServer();
    const node = new FakeNode(server);
    node.add(blocks);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      node.answer(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return node;
  }

  /** A node that listens on no port: its requests are passed to `answerPlanned`. */
  static detached(): FakeNode {
    return new FakeNode(createServer());
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  /** Adds blocks, replacing others at the same slots, and moves the tip up to the last one. */
  add(blocks: readonly FakeBlock[]): void {
    for (const { slot, json } of blocks) {
      this.blocks.set(slot, json);
      this.tip = Math.max(this.tip, slot);
    }
  }

  /** Replaces all blocks after a slot by others, and moves the tip to the last of those. */
  switchBranch(parent: number, blocks: readonly FakeBlock[]): void {
    for (const slot of this.blocks.keys()) if (slot > parent) this.blocks.delete(slot);
    this.tip = parent;
    this.add(blocks);
  }

  /** Removes a block. Its slot then counts as skipped. */
  remove(slot: number): void {
    this.blocks.delete(slot);
  }

  /** Plans a fault for the next matching requests. @param slot matches only `getBlock` of this slot */
  fail(fault: Fault, matching?: Partial<FaultTerms>): void {
    this.faults.plan(fault, matching);
  }

  /** Ends all faults that were planned. */
  heal(): void {
    this.faults.clear();
  }

  /** Requests of one method. */
  requestsOf(method: string): NodeRequest[] {
    return this.requests.filter((request) => request.method === method);
  }

  /** Waits until a method was called `times` times. */
  async waitForRequest(method: string, times = 1): Promise<void> {
    while (this.requestsOf(method).length < times) await once(this.arrivals, 'request');
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private async answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { id, method, params = [] } = JSON.parse((await buffer(incoming)).toString('utf8'));
    const request: NodeRequest = { id, method, params, headers: incoming.headers, at: performance.now() };
    this.requests.push(request);
    this.arrivals.emit('request');
    const fault = this.faults.take(request);
    if (fault?.kind === 'late') await fault.until;
    const text = this.textOf(request, fault);
    if (fault?.kind === 'silence') return;
    if (fault?.kind === 'status') {
      response.writeHead(fault.status, headersOf(fault)).end(text);
    } else if (fault?.kind === 'cut') {
      response.writeHead(200, { 'content-length': Buffer.byteLength(text) });
      response.write(text.slice(0, text.length / 2), () => response.destroy());
    } else if (fault?.kind === 'gzip') {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(fault.text));
    } else if (fault?.kind === 'reset') {
      incoming.socket.resetAndDestroy();
    } else {
      const status = fault?.kind === 'error' ? (fault.httpStatus ?? 200) : 200;
      response.writeHead(status, { 'content-type': 'application/json', ...headersOf(fault) });
      response.end(fault?.kind === 'body' ? fault.text : text);
    }
  }

  private textOf(request: Pick<NodeRequest, 'id' | 'method' | 'params'>, fault: Fault | null): string {
    if (fault?.kind === 'error') return errorText(request.id, fault.code, fault.message, fault.data);
    if (fault?.kind === 'json') return resultText(request.id, fault.text);
    if (fault?.kind === 'result') return JSON.stringify({ jsonrpc: '2.0', result: fault.result, id: request.id });
    return this.answerText(request);
  }

  /** The answer to a request that was not sent over HTTP, with the planned faults that are JSON-RPC answers. */
  answerPlanned(request: Pick<NodeRequest, 'id' | 'method' | 'params'>): string {
    return this.textOf(request, this.faults.take(request));
  }

  private answerText({ id, method, params }: Pick<NodeRequest, 'id' | 'method' | 'params'>): string {
    const result = (json: string) => resultText(id, json);
    const inContext = (value: () => unknown) => this.accountsText(id, params, value, result);
    switch (method) {
      case 'getGenesisHash':
        return result(JSON.stringify(this.genesisHash));
      case 'getFirstAvailableBlock':
        return result(String(this.firstAvailable));
      case 'getSlot':
        return result(String(this.newest(params)));
      case 'getBlocks':
        return result(JSON.stringify(this.listBlocks(params as [number, number, ...unknown[]])));
      case 'getBlock':
        return this.blockText(id, params as [number, { transactionDetails: string }], result);
      case 'getMultipleAccounts':
        return inContext(() => this.accounts.getMultiple(params));
      case 'getProgramAccounts':
        return inContext(() => this.accounts.getOfProgram(params));
      default:
        return this.furtherText(id, method, params);
    }
  }

  private furtherText(id: unknown, method: string, params: unknown[]): string {
    const answer = this.methods.get(method);
    if (!answer) return errorText(id, -32601, 'Method not found');
    try {
      return resultText(id, writeExactJson(answer(params)));
    } catch (error) {
      return errorText(id, TRANSACTION_REFUSED, String(error));
    }
  }

  private accountsText(id: unknown, params: unknown[], value: () => unknown, result: (json: string) => string): string {
    const slot = this.tip - this.accountLag;
    const { minContextSlot = 0 } = (params[1] ?? {}) as { minContextSlot?: number };
    if (slot < minContextSlot && !this.ignoresMinContextSlot) {
      return errorText(id, MIN_CONTEXT_SLOT_NOT_REACHED, 'Minimum context slot has not been reached');
    }
    return result(JSON.stringify({ context: { slot }, value: value() }));
  }

  /** The newest slot at the commitment that a request names. */
  private newest(params: unknown[]): number {
    return commitmentOf(params) === 'finalized' ? Math.max(this.tip - this.finalizedLag, 0) : this.tip;
  }

  private listBlocks(params: [number, number, ...unknown[]]): number[] {
    const [from, to] = params;
    const slots = [...this.blocks.keys()].sort((a, b) => a - b);
    const first = Math.max(from, this.firstAvailable);
    const last = Math.min(to, this.newest(params));
    return slots.filter((slot) => slot >= first && slot <= last && !this.unlisted.has(slot));
  }

  private blockText(
    id: unknown,
    params: [number, { transactionDetails: string }],
    result: (json: string) => string,
  ): string {
    const [slot, { transactionDetails }] = params;
    if (slot < this.firstAvailable) return errorText(id, BLOCK_CLEANED_UP, `Block ${slot} cleaned up`);
    if (slot > this.newest(params)) return errorText(id, BLOCK_NOT_AVAILABLE, `Block not available for slot ${slot}`);
    const json = this.blocks.get(slot);
    if (json === undefined) return errorText(id, SLOT_SKIPPED, `Slot ${slot} was skipped`);
    if (transactionDetails === 'full') return result(json);
    return result(JSON.stringify({ ...JSON.parse(json), transactions: undefined }));
  }
}

function headersOf(fault: Fault | null): Record<string, string> {
  const { retryAfter, location } = { retryAfter: undefined, location: undefined, ...fault };
  return {
    ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }),
    ...(location === undefined ? {} : { location }),
  };
}

function resultText(id: unknown, json: string): string {
  return `{"jsonrpc":"2.0","result":${json},"id":${JSON.stringify(id)}}`;
}

function errorText(id: unknown, code: number, message = 'node error', data?: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', error: { code, message, data }, id });
}
