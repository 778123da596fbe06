import { type Commitment } from '@fresnel/domain/chain';
import { type JsonCursor } from '@fresnel/domain/events';
import { FresnelError, messageOf, type Pubkey, toBase58, toSlot } from '@fresnel/domain/primitives';
import { inSpan, type Logger, redact, registerSecret, Turns } from '@fresnel/platform';
import { timeout } from '@fresnel/platform/time';
import { setCommitment } from './cluster-commitment';
import { PUBLIC_CLUSTERS } from './clusters';
import { type NodeAccounts, readNodeAccounts } from './node-accounts';
import { AnswerTooLargeError, NoAnswerError, RpcAnswerError } from './rpc-answer';
import { UNSUPPORTED } from './rpc-refusals';
import { type AskingRules, type RpcCall, RpcUnavailableError, SolanaRpc } from './solana-rpc';

export interface NodeRpcOptions {
  /** Endpoints of one chain, at least one. */
  urls: readonly string[];
  /** Time limit of a request, including the time that it waits for its turn. */
  timeoutMs: number;
  /** Maximum size of a response after decompression. */
  maxResponseBytes: number;
  /** Requests in progress. Further requests wait. */
  concurrency: number;
  /** The commitment of reads that name none; null: as the cluster says. */
  commitment: Commitment | null;
  /** Called after each attempt. */
  onAttempt: (outcome: NodeOutcome, seconds: number) => void;
}

export type NodeOutcome = 'ok' | 'error' | 'unavailable';

/** The node did not answer in time. */
export class NodeUnavailableError extends FresnelError {
  readonly code = 'node-unavailable';
  readonly isRetryable = true;
}

/** The answer of the node is larger than allowed. */
export class NodeAnswerTooLargeError extends FresnelError {
  readonly code = 'node-answer-too-large';
  readonly isRetryable = false;
}

/** The node answered with a JSON-RPC error. */
export class NodeError extends FresnelError {
  readonly code = 'node-error';
  readonly isRetryable = false;

  constructor(
    readonly rpcCode: number,
    /** The error object as the node wrote it, without its host and credentials. */
    readonly json: string,
    /** Of the response. */
    readonly httpStatus: number,
  ) {
    super('the node answered with an error');
  }
}

/** The newest version that can be parsed. */
const MAX_TRANSACTION_VERSION = 1;
/** `ask` does not pause. */
const BACKOFF = { firstMs: 0, longestMs: 0 };

/** A transaction failed in the simulation before it is sent: other nodes would say the same. */
const PREFLIGHT_FAILED = -32002;
const NODE_BEHIND = -32005;
const SERVER_ERROR = 500;

/** Another endpoint may have what this one lacks. */
const READ: AskingRules = {
  isRead: true,
  isFinal: (failure) =>
    failure instanceof AnswerTooLargeError ||
    (failure instanceof RpcAnswerError &&
      !failure.isRateLimit &&
      [...UNSUPPORTED, PREFLIGHT_FAILED].includes(failure.rpcCode)),
};

/** Rules of methods that are no reads. */
const WRITES: ReadonlyMap<string, AskingRules> = new Map<string, AskingRules>([
  // The signature identifies the transaction, so it can be sent again when no answer came, or the node did not take it.
  [
    'sendTransaction',
    { isRead: false, isFinal: (failure) => !(failure instanceof NoAnswerError || wasNotTaken(failure)) },
  ],
  ['requestAirdrop', { isRead: false, isFinal: () => true }],
]);

function wasNotTaken({ rpcCode, httpStatus, isRateLimit }: RpcAnswerError): boolean {
  return rpcCode === NODE_BEHIND || isRateLimit || httpStatus >= SERVER_ERROR;
}

/** Sends requests of clients to a Solana node, within bounds of time, size and number. */
export class NodeRpc {
  private readonly rpc: SolanaRpc;
  private readonly turns: Turns;
  private readonly hosts: readonly string[];
  private genesisHash: string | null = null;

  constructor(
    private readonly options: NodeRpcOptions,
    logger: Logger,
  ) {
    for (const url of options.urls) registerSecret(url);
    this.hosts = options.urls.map((url) => new URL(url).host);
    this.rpc = new SolanaRpc({ ...options, backoff: BACKOFF }, logger);
    this.rpc.onAttempt = (_, outcome, seconds) => {
      options.onAttempt(outcomeOf(outcome), seconds);
    };
    setCommitment(this.rpc, options.commitment, logger);
    this.turns = new Turns(options.concurrency);
  }

  /**
   * Sends a call as it is.
   *
   * @returns the result as JSON text, unchanged
   * @throws NodeError, NodeUnavailableError, NodeAnswerTooLargeError
   */
  forward(method: string, params: unknown): Promise<string> {
    return this.send({ method, params, read: readJson });
  }

  /**
   * Reads accounts. Those that an endpoint does not have are asked for at all of them: it may be behind. The slot is that of the
   * oldest answer with an account. All of it has half of the time, so that a caller can answer without them.
   *
   * @param keys at most 100
   * @param commitment in the words of Solana's RPC; null: at which blocks are indexed
   * @throws NodeError, NodeUnavailableError, NodeAnswerTooLargeError
   */
  async readAccounts(keys: readonly Pubkey[], commitment: string | null): Promise<NodeAccounts> {
    const wanted = commitment ?? (await this.rpc.findCommitment());
    const callOf = (asked: readonly Pubkey[]): RpcCall<NodeAccounts> => ({
      method: 'getMultipleAccounts',
      params: [asked.map(toBase58), { commitment: wanted, encoding: 'base64' }],
      read: (result) => readNodeAccounts(result, asked.length),
    });
    return this.inTime('getMultipleAccounts', this.options.timeoutMs / 2, async (signal) => {
      const answer = await this.rpc.ask(callOf(keys), READ, signal);
      const missing = [...keys.keys()].filter((at) => answer.accounts[at] === null);
      if (missing.length === 0 || this.rpc.endpointCount === 1) return answer;
      const again = callOf(missing.map((at) => keys[at]));
      // All of them, because nothing says which one has answered.
      const asking = this.rpc.endpoints().map((endpoint) => endpoint.ask(again, READ, signal).catch(() => null));
      for (const found of await Promise.all(asking)) {
        for (const [place, at] of missing.entries()) {
          const account = found?.accounts[place];
          if (!found || !account || answer.accounts[at] !== null) continue;
          answer.accounts[at] = account;
          answer.slot = toSlot(Math.min(answer.slot, found.slot));
        }
      }
      return answer;
    });
  }

  /**
   * Reads a transaction from the first endpoint that has it.
   *
   * @param signature in base58
   * @returns the `getTransaction` result in base64 encoding as JSON text, unchanged; null if no endpoint has it
   * @throws NodeError, NodeUnavailableError, NodeAnswerTooLargeError if no endpoint has it, and not all have answered
   */
  async findTransaction(signature: string): Promise<string | null> {
    const commitment = await this.rpc.findCommitment();
    const config = { commitment, encoding: 'base64', maxSupportedTransactionVersion: MAX_TRANSACTION_VERSION };
    const call: RpcCall<string> = { method: 'getTransaction', params: [signature, config], read: readJson };
    return this.inTime('getTransaction', this.options.timeoutMs, async (signal) => {
      let failure: Error | null = null;
      for (const endpoint of this.rpc.endpoints()) {
        try {
          const json = await endpoint.ask(call, READ, signal);
          if (json !== 'null') return json;
        } catch (error) {
          failure = error instanceof Error ? error : new Error(messageOf(error));
        }
      }
      if (failure) throw failure;
      return null;
    });
  }

  /** @throws NodeError, NodeUnavailableError, NodeAnswerTooLargeError */
  async isPublicCluster(): Promise<boolean> {
    this.genesisHash ??= await this.send({
      method: 'getGenesisHash',
      params: [],
      read: (result) => String(result.readValue()),
    });
    return PUBLIC_CLUSTERS.has(this.genesisHash);
  }

  private send<Result>(call: RpcCall<Result>): Promise<Result> {
    const rules = WRITES.get(call.method) ?? READ;
    return this.inTime(call.method, this.options.timeoutMs, (signal) => this.rpc.ask(call, rules, signal));
  }

  private inTime<Result>(
    method: string,
    timeoutMs: number,
    ask: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const attributes = { 'rpc.system.name': 'jsonrpc', 'rpc.method': method };
    return inSpan(method, { kind: 'client', attributes }, async () => {
      const signal = timeout(timeoutMs);
      try {
        return await this.turns.run(() => ask(signal), signal);
      } catch (error) {
        throw signal.aborted
          ? new NodeUnavailableError(`the node did not answer within ${timeoutMs} ms`)
          : this.toNodeError(error);
      }
    });
  }

  private toNodeError(error: unknown): unknown {
    if (error instanceof RpcAnswerError)
      return new NodeError(error.rpcCode, this.withoutUrl(error.json), error.httpStatus);
    if (!(error instanceof RpcUnavailableError)) return error;
    if (error.cause instanceof AnswerTooLargeError) {
      const { maxResponseBytes } = this.options;
      return new NodeAnswerTooLargeError(`The answer of the Solana node is larger than ${maxResponseBytes} bytes`);
    }
    return new NodeUnavailableError(messageOf(error));
  }

  /** Hosts of providers may contain API keys. */
  private withoutUrl(json: string): string {
    return this.hosts.reduce((text, host) => text.replaceAll(host, '[node]'), redact(json));
  }
}

/** The text of a result that is valid JSON, with all digits of its numbers. */
function readJson(result: JsonCursor): string {
  const json = result.readText();
  JSON.parse(json);
  return json;
}

/** @param outcome as `SolanaRpc.onAttempt` has it: "ok", a JSON-RPC code below 0, an HTTP status or "unavailable" */
function outcomeOf(outcome: string): NodeOutcome {
  if (outcome === 'ok') return 'ok';
  return Number(outcome) < 0 ? 'error' : 'unavailable';
}
