import { extname, join } from 'node:path';
import { type Block } from '@fresnel/domain/events';
import { type Hash, type Pubkey, type Signature, SIGNATURE_BYTES } from '@fresnel/domain/primitives';
import { Piscina } from 'piscina';
import { type BlockTextOptions, readBlock } from './read-block';

/** Smaller texts cost less on the calling thread than on their way to another one. */
const MIN_BYTES_FOR_THREAD = 512 * 1024;

/** Sizes of memory are multiples of this, so that memory for one block usually suffices for the next. */
const MEMORY_STEP_BYTES = 1024 * 1024;

/** A thread ends when it had nothing to do for so long. */
const IDLE_TIMEOUT_MS = 30_000;

/** Almost everything that a thread allocates is garbage after the block: a larger heap would only contain more of it. */
const YOUNG_GENERATION_MB = 4;

export interface BlockReaderOptions {
  /** Only transactions that may name this program are kept; null: all transactions. */
  accountCompression: Pubkey | null;
  /** The most worker threads, at least one. They start with the first block that is large enough. */
  threads: number;
  /** Options of Node for the threads; those of the process if undefined. */
  execArgv?: string[];
}

/** A block for one thread. */
export interface BlockTask {
  /** In memory that is shared with the thread. */
  text: Uint8Array;
  options: BlockTextOptions;
  accountCompression: Uint8Array | null;
}

/** The result of a thread: a block whose bytes are not buffers; null if the text cannot be read. */
export type BlockTaskResult = {
  block: (Omit<Block, 'signatures'> & { signatures: null }) | null;
  signatures: Uint8Array | null;
} | null;

/** Reads blocks from their JSON texts: large ones in worker threads, so that the event loop stays free. */
export class BlockReader {
  private pool: Piscina<BlockTask, BlockTaskResult> | null = null;
  /** Memory for large texts. It is used again: if each had its own, the allocator would keep far more than is in use. */
  private readonly freeMemory: SharedArrayBuffer[] = [];

  constructor(private readonly options: BlockReaderOptions) {}

  /** Number of blocks that are read at the same time if they are large. */
  get concurrency(): number {
    return this.options.threads;
  }

  /**
   * Reads a block from its text. The parts can be used again as soon as this returns its promise.
   *
   * @param parts the text in UTF-8, in any number of parts
   * @returns null if the result of the response is null
   * @throws RpcAnswerError, NoAnswerError, MalformedBlockError
   */
  async read(parts: readonly Uint8Array[], options: BlockTextOptions): Promise<Block | null> {
    const bytes = parts.reduce((sum, { length }) => sum + length, 0);
    if (bytes < MIN_BYTES_FOR_THREAD) return readBlock(Buffer.concat(parts), options, this.options.accountCompression);
    const text = Buffer.from(this.takeMemory(bytes), 0, bytes);
    let at = 0;
    for (const part of parts) {
      text.set(part, at);
      at += part.length;
    }
    return this.readInThread(text, options);
  }

  private async readInThread(text: Buffer<SharedArrayBuffer>, options: BlockTextOptions): Promise<Block | null> {
    const { accountCompression } = this.options;
    try {
      this.pool ??= this.createPool();
      const result = await this.pool.run({ text, options, accountCompression });
      // Errors lose their class on the way from a thread, so they are thrown here.
      if (!result) return readBlock(text, options, accountCompression);
      return result.block && toBlock(result.block, result.signatures);
    } finally {
      if (this.freeMemory.length <= this.options.threads) this.freeMemory.push(text.buffer);
    }
  }

  private takeMemory(bytes: number): SharedArrayBuffer {
    const at = this.freeMemory.findIndex(({ byteLength }) => byteLength >= bytes);
    if (at >= 0) return this.freeMemory.splice(at, 1)[0];
    this.freeMemory.pop(); // too small: the new memory takes its place
    return new SharedArrayBuffer(Math.ceil(bytes / MEMORY_STEP_BYTES) * MEMORY_STEP_BYTES);
  }

  private createPool(): Piscina<BlockTask, BlockTaskResult> {
    return new Piscina({
      // The compiled worker is beside the compiled app, its source is beside this file.
      filename: join(__dirname, `block-reader.worker${extname(__filename)}`),
      minThreads: 0,
      maxThreads: this.options.threads,
      idleTimeout: IDLE_TIMEOUT_MS,
      execArgv: this.options.execArgv,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
  }
}

function toBlock(block: Omit<Block, 'signatures'>, signatures: Uint8Array | null): Block {
  return {
    ...block,
    blockhash: asBuffer(block.blockhash) as Hash,
    parentBlockhash: asBuffer(block.parentBlockhash) as Hash,
    signatures: signatures && splitSignatures(asBuffer(signatures)),
  };
}

function splitSignatures(bytes: Buffer): Signature[] {
  return Array.from(
    { length: bytes.length / SIGNATURE_BYTES },
    (_, at) => bytes.subarray(at * SIGNATURE_BYTES, (at + 1) * SIGNATURE_BYTES) as Signature,
  );
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
