import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import { type BlockLink, blockLinkOf, type BlockRef, isChildOf, isSameBlock } from '@fresnel/domain/chain';
import { type Block, MalformedBlockError } from '@fresnel/domain/events';
import { FresnelError, messageOf, type Pubkey, type Slot, toBase58 } from '@fresnel/domain/primitives';
import { waitForOthers } from '@fresnel/platform';
import { wait, wallClock } from '@fresnel/platform/time';
import { type BlockSource, type ChainTip, firstSlotWithSignatures, ForkError } from './block-source';
import { type BranchQuestion, FinalizedBranch } from './finalized-branch';
import { MAX_ANCESTORS, type NearestTime, nearestTime, withTime } from './nearest-time';
import { readBlockText } from './read-block';
import { isEmptyLine, splitLines } from './split-lines';

/** A ledger file is missing, cannot be parsed, or its blocks are not linked. */
export class LedgerError extends FresnelError {
  readonly code = 'ledger';
  readonly isRetryable = false;
}

export interface LedgerBlockSourceOptions {
  /**
   * Path of a newline-delimited JSON file, gzipped if the name ends in `.gz`. Each line is a `getBlock` result plus its
   * `slot`.
   */
  path: string;
  /** Only transactions that may name this program are kept; null: all transactions. */
  accountCompression: Pubkey | null;
  /** Simulates a live chain: after the first `blocksAtOnce` blocks, one block every `slotMs`. */
  live?: { blocksAtOnce: number; slotMs: number };
}

interface Line {
  /** UTF-8, in the parts that were read from the file. */
  text: readonly Buffer[];
  /** From 1. Empty lines are counted. */
  number: number;
  /** The part of the file that was read so far, from 0 to 1. */
  readShare: number;
}

const CHUNK_BYTES = 1024 * 1024;
/** The default of 16 kB takes 1.6 times as long. */
const GUNZIP_CHUNK_BYTES = 256 * 1024;

interface LedgerSummary {
  blocks: number;
  lastSlot: Slot;
}

/** Reads blocks from a ledger file. */
export class LedgerBlockSource implements BlockSource {
  private summary: Promise<LedgerSummary> | null = null;
  private newest: Slot | null = null;

  constructor(private readonly options: LedgerBlockSourceOptions) {}

  /** Always current: a ledger file does not change. */
  get tip(): ChainTip | null {
    return this.newest === null ? null : { slot: this.newest, seenAt: new Date(wallClock()) };
  }

  /** The first block identifies the chain. A ledger that is not read like a live chain is first read to its end, to find errors. */
  async identify(): Promise<string> {
    if (!this.options.live) await this.summarize();
    for await (const { blockhash } of this.readBlocks()) return `ledger ${toBase58(blockhash)}`;
    throw this.emptyError();
  }

  async *blocks(after: BlockRef | null, signal: AbortSignal): AsyncIterable<Block> {
    const { live } = this.options;
    if (!live) this.newest = (await this.summarize()).lastSlot;
    let last: BlockRef | null = null;
    let delivered = 0;
    for await (const block of this.readBlocks()) {
      if (last) this.requireChild(last, block);
      last = block;
      if (after && block.slot <= after.slot) continue;
      if (after && delivered === 0) this.requireChild(after, block);
      delivered++;
      if (live && delivered > live.blocksAtOnce) await wait(live.slotMs, signal);
      if (signal.aborted) return;
      if (live) this.newest = block.slot;
      yield block;
    }
    if (live && !signal.aborted) await waitForOthers(() => once(signal, 'abort')); // a live chain without a new block
  }

  async *blocksFrom(slot: Slot, signal: AbortSignal): AsyncIterable<Block> {
    for await (const block of this.readBlocks()) {
      if (signal.aborted) return;
      if (block.slot >= slot) yield block;
    }
  }

  /** A ledger file has one branch. @throws ForkError if it contains none of the known blocks */
  async readFinalized({ known, upTo }: BranchQuestion): Promise<FinalizedBranch> {
    let forkPoint: BlockRef | null = null;
    let blocks: BlockLink[] = [];
    for await (const block of this.readBlocks()) {
      blocks.push(blockLinkOf(block));
      const same = known.find((each) => isSameBlock(each, block));
      if (same) [forkPoint, blocks] = [same, []];
      if (block.slot >= upTo) break;
    }
    if (forkPoint) return new FinalizedBranch(forkPoint, blocks);
    throw new ForkError(
      `${this.options.path} contains none of the last indexed blocks: the index was built from another ledger`,
    );
  }

  async findBlock(wanted: Slot): Promise<Block | null> {
    for await (const block of this.readBlocks()) if (block.slot === wanted) return block;
    return null;
  }

  async findTip(): Promise<Slot> {
    return this.newest ?? (await this.summarize()).lastSlot;
  }

  /**
   * Reads the whole ledger file once.
   *
   * @param onProgress called after each block with the part of the file that was read so far, from 0 to 1
   * @throws LedgerError
   */
  summarize(onProgress?: (readShare: number) => void): Promise<LedgerSummary> {
    this.summary ??= this.readSummary(onProgress);
    return this.summary;
  }

  private async readSummary(onProgress?: (readShare: number) => void): Promise<LedgerSummary> {
    let blocks = 0;
    let last: Line | null = null;
    for await (const line of this.readLines()) {
      last = line;
      blocks++;
      onProgress?.(line.readShare);
    }
    if (!last) throw this.emptyError();
    return { blocks, lastSlot: this.readLine(last).slot };
  }

  private emptyError(): LedgerError {
    return new LedgerError(`${this.options.path} contains no block`);
  }

  /** A block without a time has that of the nearest one before it that has one. */
  private async *readBlocks(): AsyncIterable<Block> {
    let last: NearestTime | null = null;
    for await (const line of this.readLines()) {
      const block = this.readLine(line);
      last = nearestTime(block.blockTime, last);
      if (last === null)
        throw new LedgerError(
          `${this.options.path}: block ${block.slot} has no time, and none of up to ${MAX_ANCESTORS} blocks before it has one`,
        );
      yield withTime(block, last);
    }
  }

  private readLine({ text, number }: Line): Block {
    const { path, accountCompression } = this.options;
    const rules = { slot: null, accountCompression, signaturesFrom: firstSlotWithSignatures(this.tip) };
    try {
      const block = readBlockText(Buffer.concat(text).toString(), rules);
      if (!block) throw new MalformedBlockError('expected an object');
      return block;
    } catch (error) {
      throw new LedgerError(`${path}, line ${number}: ${messageOf(error)}`, { cause: error });
    }
  }

  private async *readLines(): AsyncIterable<Line> {
    const { path } = this.options;
    const { size } = await stat(path).catch((error: unknown) => {
      throw this.unreadable(error);
    });
    const file = createReadStream(path, { highWaterMark: CHUNK_BYTES });
    const input = path.endsWith('.gz') ? file.pipe(createGunzip({ chunkSize: GUNZIP_CHUNK_BYTES })) : file;
    file.on('error', (error) => input.destroy(error)); // `pipe` does not forward errors
    let number = 0;
    try {
      for await (const text of splitLines(input)) {
        number++;
        if (!isEmptyLine(text)) yield { text, number, readShare: file.bytesRead / size };
      }
    } catch (error) {
      throw this.unreadable(error);
    } finally {
      file.destroy();
    }
  }

  private unreadable(error: unknown): LedgerError {
    return new LedgerError(`${this.options.path} cannot be read: ${messageOf(error)}`, { cause: error });
  }

  private requireChild(parent: BlockRef, block: Block): void {
    if (isChildOf(block, parent)) return;
    throw new LedgerError(`${this.options.path}: block ${block.slot} is not the child of block ${parent.slot}`);
  }
}
