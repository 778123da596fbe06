import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { type BlockLink, type BlockRef, isChildOf } from '@fresnel/domain/chain';
import { type Block, parseBlock } from '@fresnel/domain/events';
import { asFields, asSlot, FresnelError, messageOf, type Slot, toBase58 } from '@fresnel/domain/primitives';
import { wait } from './backoff';
import { type BlockSource, type ChainTip, ForkError } from './block-source';

/** A ledger file that is not there or does not hold together. */
export class LedgerError extends FresnelError {
  readonly code = 'ledger';
  readonly isRetryable = false;
}

export interface LedgerBlockSourceOptions {
  /** Newline-delimited JSON, gzipped where the name ends in `.gz`: a `getBlock` result with its `slot` on each line. */
  path: string;
  /** Plays the recording as a chain that is going on: after so many blocks the others come one by one. */
  live?: { blocksAtOnce: number; slotMs: number };
}

interface Line {
  text: string;
  /** From 1, empty lines counted. */
  number: number;
}

interface LedgerSummary {
  blocks: number;
  lastSlot: Slot;
  /** The first blockhash names the chain. */
  firstBlockhash: string;
}

/** Blocks from a recording. */
export class LedgerBlockSource implements BlockSource {
  private summary: Promise<LedgerSummary> | null = null;
  private newest: Slot | null = null;

  constructor(private readonly options: LedgerBlockSourceOptions) {}

  /** A recording cannot fall behind: what it says now, it says for good. */
  get tip(): ChainTip | null {
    return this.newest === null ? null : { slot: this.newest, seenAt: new Date() };
  }

  async identify(): Promise<string> {
    return `ledger ${(await this.summarize()).firstBlockhash}`;
  }

  async *blocks(after: BlockRef | null, signal: AbortSignal): AsyncIterable<Block> {
    const { live } = this.options;
    if (!live) this.newest = (await this.summarize()).lastSlot;
    let last: BlockRef | null = null;
    let place = 0;
    for await (const block of this.readBlocks()) {
      if (last) this.requireChild(last, block);
      last = block;
      if (after && block.slot <= after.slot) continue;
      if (after && place === 0) this.requireChild(after, block);
      place++;
      if (live && place > live.blocksAtOnce) await wait(live.slotMs, signal);
      if (signal.aborted) return;
      if (live) this.newest = block.slot;
      yield block;
    }
    if (live && !signal.aborted) await once(signal, 'abort'); // a chain that is going on, and quiet
  }

  /** A recording has one branch. @throws ForkError */
  findForkPoint(_held: readonly BlockRef[], { slot }: BlockLink): Promise<never> {
    const problem = `${this.options.path} has another block ${slot} than the one that is indexed: it is another recording`;
    return Promise.reject(new ForkError(problem));
  }

  /** A recording does not change: what was delivered is in it. */
  has(): Promise<boolean> {
    return Promise.resolve(true);
  }

  /** Reads the recording once from front to back. @throws LedgerError */
  summarize(): Promise<LedgerSummary> {
    this.summary ??= this.readSummary();
    return this.summary;
  }

  private async readSummary(): Promise<LedgerSummary> {
    let blocks = 0;
    let first: Line | null = null;
    let last: Line | null = null;
    for await (const line of this.readLines()) {
      first ??= line;
      last = line;
      blocks++;
    }
    if (!first || !last) throw new LedgerError(`${this.options.path} holds no block`);
    const { blockhash } = this.parseLine(first);
    return { blocks, lastSlot: this.parseLine(last).slot, firstBlockhash: toBase58(blockhash) };
  }

  private async *readBlocks(): AsyncIterable<Block> {
    for await (const line of this.readLines()) yield this.parseLine(line);
  }

  private parseLine({ text, number }: Line): Block {
    try {
      const result: unknown = JSON.parse(text);
      return parseBlock(asSlot(asFields(result).slot), result, text, []);
    } catch (error) {
      throw new LedgerError(`${this.options.path}, line ${number}: ${messageOf(error)}`, { cause: error });
    }
  }

  private async *readLines(): AsyncIterable<Line> {
    const { path } = this.options;
    const file = createReadStream(path);
    const input = path.endsWith('.gz') ? file.pipe(createGunzip()) : file;
    file.on('error', (error) => input.destroy(error)); // a pipe does not pass errors on
    const lines = createInterface({ input, crlfDelay: Infinity });
    let number = 0;
    try {
      for await (const text of lines) {
        number++;
        if (text !== '') yield { text, number };
      }
    } catch (error) {
      throw new LedgerError(`${path} cannot be read: ${messageOf(error)}`, { cause: error });
    } finally {
      file.destroy();
    }
  }

  private requireChild(parent: BlockRef, block: Block): void {
    if (isChildOf(block, parent)) return;
    throw new LedgerError(`${this.options.path}: block ${block.slot} does not follow block ${parent.slot}`);
  }
}
