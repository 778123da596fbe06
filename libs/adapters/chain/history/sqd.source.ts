import { type Pubkey, type Slot, toBase58 } from '@fresnel/domain/primitives';
import { type Endpoint, type Logger, toEndpoint } from '@fresnel/platform';
import { postForLines } from '../post-for-lines';
import { NoAnswerError } from '../rpc-answer';
import { HistoryClient, type HistoryClientOptions } from './history-client';
import { type HistoryPage, type HistorySource, type HistoryUsage, type SlotRange } from './history-source';
import {
  COUNTED_FIELDS,
  type CountedBlock,
  READ_FIELDS,
  type ReadBlock,
  readBlock,
  readCount,
  type SqdBlock,
} from './sqd-block';
import { SqdCoverage, type SqdPage } from './sqd-coverage';

export interface SqdSourceOptions extends HistoryClientOptions {
  /** URL of a data set of the Portal. */
  url: string;
  /** The only account to read about that is a program. */
  program: Pubkey;
}

/** Some seconds of a fast stream. */
const PAGE_BYTES = 4 * 2 ** 20;
const STREAM = 'finalized-stream';
const FINALIZED_HEAD = 'x-sqd-finalized-head-number';

/** How much of each transaction is asked for. */
interface Mode<Block> {
  fields: object;
  transactionInstructions: boolean;
  read: (line: string) => Block;
}

const READ: Mode<ReadBlock> = { fields: READ_FIELDS, transactionInstructions: true, read: readBlock };
const COUNT: Mode<CountedBlock> = { fields: COUNTED_FIELDS, transactionInstructions: false, read: readCount };

interface SqdQuery {
  type: 'solana';
  fromBlock: Slot;
  toBlock: Slot;
  fields: object;
  instructions: object[];
}

/** Reads history from the Portal of SQD, which knows instructions, accounts and block headers, but no bytes of transactions. */
export class SqdSource implements HistorySource {
  readonly hasBytes = false;
  readonly hasLinks = true;
  private readonly client: HistoryClient;
  private readonly endpoint: Endpoint;

  constructor(
    private readonly options: SqdSourceOptions,
    logger: Logger,
  ) {
    this.client = new HistoryClient('SQD Portal', options, logger);
    this.endpoint = toEndpoint(options.url, STREAM);
  }

  get name(): string {
    return this.client.name;
  }

  get usage(): HistoryUsage {
    return this.client.usage;
  }

  async *read(range: SlotRange, about: readonly Pubkey[], signal: AbortSignal): AsyncIterable<HistoryPage> {
    for await (const { from, to, blocks } of this.readBlocks(READ, range, about, signal)) {
      yield { from, to, slots: blocks.map(({ slot }) => slot), holes: blocks.flatMap(({ holes }) => holes) };
    }
  }

  async count(range: SlotRange, about: Pubkey, signal: AbortSignal): Promise<number> {
    let count = 0;
    for await (const { blocks } of this.readBlocks(COUNT, range, [about], signal)) {
      for (const block of blocks) count += block.count;
    }
    return count;
  }

  /** An answer may end before the range does: the next request continues there. */
  private async *readBlocks<Block extends SqdBlock>(
    mode: Mode<Block>,
    range: SlotRange,
    about: readonly Pubkey[],
    signal: AbortSignal,
  ): AsyncIterable<SqdPage<Block>> {
    const coverage = new SqdCoverage<Block>(range);
    let failures = 0;
    while (!coverage.isComplete) {
      const { next } = coverage;
      try {
        yield* this.readAnswer(coverage, mode, this.queryOf(mode, { from: next, to: range.to }, about), signal);
        failures = 0;
      } catch (error) {
        failures = coverage.next > next ? 1 : failures + 1;
        await this.client.recover(error, failures, signal);
      }
      const page = coverage.take();
      if (page) yield page;
    }
  }

  /** @returns pages of a limited size; what follows the last of them remains in `coverage` */
  private async *readAnswer<Block extends SqdBlock>(
    coverage: SqdCoverage<Block>,
    mode: Mode<Block>,
    query: SqdQuery,
    signal: AbortSignal,
  ): AsyncIterable<SqdPage<Block>> {
    let head = -1;
    let isFirst = true;
    const options = {
      timeoutMs: this.options.timeoutMs,
      onHeaders: (headers: Headers) => (head = Number(headers.get(FINALIZED_HEAD) ?? head)),
      onBytes: (bytes: number) => {
        this.client.countBytes(bytes);
      },
    };
    this.client.countCall();
    for await (const line of postForLines(this.endpoint, JSON.stringify(query), options, signal)) {
      coverage.add(mode.read(line), isFirst);
      isFirst = false;
      const page = coverage.sizeBytes >= PAGE_BYTES ? coverage.take() : null;
      if (page) yield page;
    }
    if (!isFirst) return;
    // An answer without a block: there is none in these slots, or not yet.
    if (!(head >= query.toBlock))
      throw new NoAnswerError(`it has blocks up to ${head}, not yet up to ${query.toBlock}`);
    coverage.finish();
  }

  /** A transaction matches if one of its instructions does. */
  private queryOf(
    { fields, transactionInstructions }: Mode<SqdBlock>,
    { from, to }: SlotRange,
    about: readonly Pubkey[],
  ): SqdQuery {
    const isProgram = (key: Pubkey) => key.equals(this.options.program);
    const programId = about.filter(isProgram).map(toBase58);
    const mentionsAccount = about.filter((key) => !isProgram(key)).map(toBase58);
    const filters = [
      ...(programId.length > 0 ? [{ programId }] : []),
      ...(mentionsAccount.length > 0 ? [{ mentionsAccount }] : []),
    ];
    const instructions = filters.map((filter) => ({
      ...filter,
      isCommitted: true,
      transaction: true,
      transactionInstructions,
    }));
    return { type: 'solana', fromBlock: from, toBlock: to, fields, instructions };
  }
}
