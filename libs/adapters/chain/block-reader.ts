import { extname, join } from 'node:path';
import { type Block } from '@fresnel/domain/events';
import { type Hash, type Pubkey, type Signature, SIGNATURE_BYTES } from '@fresnel/domain/primitives';
import { Piscina } from 'piscina';
import { type BlockTextOptions, readBlock } from './read-block';

/** Smaller texts cost less on the calling thread than on their way to another one. */
const MIN_BYTES_FOR_THREAD = 512 * 1024;

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

/** A block for one thread. The memory of `text` moves to it. */
export interface BlockTask {
  text: Uint8Array;
  options: BlockTextOptions;
  accountCompression: Uint8Array | null;
}

/** The result of a thread: a block whose bytes are not buffers; or the text, if it cannot be read. */
export type BlockTaskResult =
  { block: (Omit<Block, 'signatures'> & { signatures: null }) | null; signatures: Uint8Array | null } | Uint8Array;

/** Reads blocks from their JSON texts: large ones in worker threads, so that the event loop stays free. */
export class BlockReader {
  private pool: Piscina<BlockTask, BlockTaskResult> | null = null;

  constructor(private readonly options: BlockReaderOptions) {}

  /** Number of blocks that are read at the same time if they are large. */
  get concurrency(): number {
    return this.options.threads;
  }

  /**
   * @param text in UTF-8. A large one has memory of its own, which is moved to a thread: the caller cannot use it any more.
   * @returns null if the result of the response is null
   * @throws RpcAnswerError, NoAnswerError, MalformedBlockError
   */
  async read(text: Buffer, options: BlockTextOptions): Promise<Block | null> {
    if (text.length < MIN_BYTES_FOR_THREAD) return readBlock(text, options, this.options.accountCompression);
    this.pool ??= this.createPool();
    const { accountCompression } = this.options;
    const transferList = [text.buffer as ArrayBuffer];
    const result = await this.pool.run({ text, options, accountCompression }, { transferList });
    // Errors lose their class on the way from a thread, so it is thrown here.
    if (result instanceof Uint8Array) return readBlock(asBuffer(result), options, accountCompression);
    return result.block && toBlock(result.block, result.signatures);
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
