import { extname, join } from 'node:path';
import { poseidon, poseidonBatch } from '@fresnel/domain/poseidon';
import {
  type BatchHasher,
  HASH_BYTES,
  hashInSeries,
  type SeriesHasher,
  type TreeHasher,
} from '@fresnel/domain/primitives';
import { yieldAfter } from '@fresnel/platform';
import { Piscina } from 'piscina';

/** Injection token of a `TreeHasher`. */
export const TREE_HASHER = Symbol('TreeHasher');

/** Smaller series, and smaller shares of a batch, cost less on the calling thread than on their way to another one. */
const MIN_SHARE = 32;

/** A thread takes longer to start than the calling thread takes for a series with fewer hashes. */
const MIN_SERIES_TO_START = 256;

/** The calling thread starts to hash in the next turn of the event loop if the current one has lasted this long. */
const MAX_TURN_MS = 2;

/** A thread ends when it had nothing to hash for so long. */
const IDLE_TIMEOUT_MS = 30_000;

export interface HashPoolOptions {
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

/** Hashes batches and series with Poseidon in worker threads, so that the event loop stays free for requests. */
export class HashPool {
  private readonly pool: Piscina<HashTask | SeriesTask, Uint8Array>;

  constructor(private readonly options: HashPoolOptions) {
    this.pool = new Piscina<HashTask | SeriesTask, Uint8Array>({
      // The compiled worker is beside the compiled app, its source is beside this file.
      filename: join(__dirname, `hash-pool.worker${extname(__filename)}`),
      minThreads: 0,
      maxThreads: options.threads,
      idleTimeout: IDLE_TIMEOUT_MS,
      execArgv: options.execArgv,
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
      hashing.push(this.pool.run({ arity, inputs: share }, { transferList: [share.buffer] }));
    }
    return Buffer.concat(await Promise.all(hashing));
  };

  readonly hashSeries: SeriesHasher = async (series) => {
    const minimum = this.pool.threads.length > 0 ? MIN_SHARE : MIN_SERIES_TO_START;
    if (series.operands.length / 2 < minimum) {
      await yieldAfter(MAX_TURN_MS);
      return hashInSeries(series, poseidon);
    }
    // A copy with memory of its own, which moves to the thread.
    const values = Uint8Array.prototype.slice.call(series.values);
    const hashes = await this.pool.run({ values, operands: series.operands }, { transferList: [values.buffer] });
    return Buffer.from(hashes.buffer);
  };

  /** The hash functions of a writer of trees. */
  readonly treeHasher: TreeHasher = { hash: poseidon, hashBatch: this.hashBatch, hashSeries: this.hashSeries };

  /** Ends the threads after their current batches. */
  close(): Promise<void> {
    return this.pool.close();
  }
}
