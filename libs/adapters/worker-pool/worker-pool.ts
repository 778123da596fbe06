import { extname, join } from 'node:path';
import { encodeInTurns, type TransactionJson, type TransactionJsonEncoder } from '@fresnel/adapters/store-schema';
import { poseidon, poseidonBatch, poseidonSeries } from '@fresnel/domain/poseidon';
import { type BatchHasher, HASH_BYTES, type SeriesHasher, type TreeHasher } from '@fresnel/domain/primitives';
import { yieldAfter } from '@fresnel/platform';
import { Piscina } from 'piscina';
import { packBytes, type PackedBytes, unpackBytes } from './packed-bytes';
import { DEFERRED, PriorityQueue } from './priority-queue';

/** Smaller series, and smaller shares of a batch, cost less on the calling thread than on their way to another one. */
const MIN_SHARE = 32;

/** A thread takes longer to start than the calling thread takes for a series with fewer hashes. */
const MIN_SERIES_TO_START = 256;

/** Fewer transactions are encoded on the calling thread. */
const MIN_TRANSACTIONS = 16;

/** Transactions that a thread encodes in succession: a few milliseconds, for which a batch of hashes waits at most. */
const TRANSACTIONS_PER_TASK = 64;

/** The calling thread starts to hash in the next turn of the event loop if the current one has lasted this long. */
const MAX_TURN_MS = 2;

/** A thread ends when it had nothing to do for so long. */
const IDLE_TIMEOUT_MS = 30_000;

/** Almost everything that a thread allocates is garbage after the task: a larger heap would only contain more of it. */
const YOUNG_GENERATION_MB = 4;

export interface WorkerPoolOptions {
  /** The most worker threads, at least one. They start with the first batch that is large enough. */
  threads: number;
  /** Options of Node for the threads; those of the process if undefined. */
  execArgv?: string[];
}

/** One share of a batch; arguments and result as of `poseidonBatch`. */
export interface HashTask {
  arity: number;
  inputs: Uint8Array;
}

/** A series for one thread; result as of `SeriesHasher`. */
export interface SeriesTask {
  values: Uint8Array;
  operands: Int32Array;
}

/** Transactions for one thread. The result are the encoded ones. */
export interface EncodingTask {
  json: string[];
  /** Bytes that probably occur in each transaction. */
  known: PackedBytes;
}

export type Task = HashTask | SeriesTask | EncodingTask;

/** Hashes with Poseidon and encodes transactions in worker threads, so that the event loop stays free for requests. */
export class WorkerPool {
  private readonly pool: Piscina<Task>;

  constructor(private readonly options: WorkerPoolOptions) {
    this.pool = new Piscina({
      // The compiled worker is beside the compiled app, its source is beside this file.
      filename: join(__dirname, `worker-pool.worker${extname(__filename)}`),
      minThreads: 0,
      maxThreads: options.threads,
      idleTimeout: IDLE_TIMEOUT_MS,
      taskQueue: new PriorityQueue(),
      stricterFIFO: true, // otherwise a task for which no thread is free moves behind those that came later
      execArgv: options.execArgv,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
  }

  readonly hashBatch: BatchHasher = async (arity, inputs) => {
    const groupBytes = arity * HASH_BYTES;
    const groups = inputs.length / groupBytes;
    if (groups < 2 * MIN_SHARE) {
      await yieldAfter(MAX_TURN_MS);
      return poseidonBatch(arity, inputs);
    }
    const shares = Math.min(this.options.threads, Math.floor(groups / MIN_SHARE));
    const shareBytes = Math.ceil(groups / shares) * groupBytes;
    const hashing: Promise<Uint8Array>[] = [];
    for (let start = 0; start < inputs.length; start += shareBytes) {
      // A copy with memory of its own, which moves to the thread.
      const share = Uint8Array.prototype.slice.call(inputs, start, start + shareBytes);
      hashing.push(this.hash({ arity, inputs: share }, share));
    }
    return Buffer.concat(await Promise.all(hashing));
  };

  readonly hashSeries: SeriesHasher = async (series) => {
    const minimum = this.pool.threads.length > 0 ? MIN_SHARE : MIN_SERIES_TO_START;
    if (series.operands.length / 2 < minimum) {
      await yieldAfter(MAX_TURN_MS);
      return poseidonSeries(series);
    }
    // A copy with memory of its own, which moves to the thread.
    const values = Uint8Array.prototype.slice.call(series.values);
    const hashes = await this.hash({ values, operands: series.operands }, values);
    return Buffer.from(hashes.buffer);
  };

  /** Encodes the JSON of transactions. */
  readonly encodeJson: TransactionJsonEncoder = async (transactions) => {
    if (transactions.length < MIN_TRANSACTIONS) return encodeInTurns(transactions);
    const encoding: Promise<Buffer[]>[] = [];
    for (let start = 0; start < transactions.length; start += TRANSACTIONS_PER_TASK) {
      encoding.push(this.encode(transactions.slice(start, start + TRANSACTIONS_PER_TASK)));
    }
    return (await Promise.all(encoding)).flat();
  };

  /** The hash functions of a writer of trees. */
  readonly treeHasher: TreeHasher = { hash: poseidon, hashBatch: this.hashBatch, hashSeries: this.hashSeries };

  /** @param inputs whose memory moves to the thread */
  private async hash(task: HashTask | SeriesTask, inputs: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
    return (await this.pool.run(task, { transferList: [inputs.buffer] })) as Uint8Array;
  }

  private async encode(transactions: readonly TransactionJson[]): Promise<Buffer[]> {
    const json = transactions.map((transaction) => transaction.json);
    const known = packBytes(transactions.map((transaction) => Buffer.concat(transaction.known)));
    // A writer of trees waits for its hashes, and a batch of transactions is encoded ahead.
    return unpackBytes((await this.pool.run({ json, known, ...DEFERRED })) as PackedBytes);
  }

  /** Ends the threads after their current batches. */
  close(): Promise<void> {
    return this.pool.close();
  }
}
