import { type JsonCursor } from '@fresnel/domain/events';
import { type Pubkey, toBase58, toSlot } from '@fresnel/domain/primitives';
import { type Logger } from '@fresnel/platform';
import { type PostLimits, postToNode } from '../post-to-node';
import { AnswerTooLargeError, readAnswer, RpcAnswerError } from '../rpc-answer';
import {
  type GtfaItem,
  type GtfaResult,
  type GtfaTransaction,
  readFullItem,
  readGtfaResult,
  readSignatureItem,
} from './gtfa-items';
import { GtfaOrder } from './gtfa-order';
import { HistoryClient, type HistoryClientOptions } from './history-client';
import {
  HistoryAnswerError,
  type HistoryPage,
  type HistorySource,
  type HistoryUsage,
  type SlotRange,
} from './history-source';
import { mergePages } from './merge-pages';
import { toHistoryPage } from './to-history-page';

const METHOD = 'getTransactionsForAddress';
const INVALID_PARAMS = -32602;
/** The provider does not know the transaction that its token names. */
const UNKNOWN_POSITION = -32020;

/** How much of each transaction is asked for. */
interface Mode<Item> {
  parameters: object;
  read: (item: JsonCursor) => Item;
}

const FULL: Mode<GtfaTransaction> = {
  parameters: { transactionDetails: 'full', encoding: 'base64', maxSupportedTransactionVersion: 1 },
  read: readFullItem,
};
const SIGNATURES: Mode<GtfaItem> = { parameters: { transactionDetails: 'signatures' }, read: readSignatureItem };

const MOST = 1_000;
/** All that the specification promises. So many of any size fit into an answer: the largest transactions have about a megabyte. */
const PROMISED = 100;
const SUCCEEDED = { status: 'succeeded' };
const ANY = {};
/** Ways to ask, best first: a provider may refuse a limit, and filters that it does not know. */
const FORMS: readonly { limit: number; filters: object }[] = [
  { limit: MOST, filters: SUCCEEDED },
  { limit: MOST, filters: ANY },
  { limit: PROMISED, filters: SUCCEEDED },
  { limit: PROMISED, filters: ANY },
];

/** What a sequence of requests asks. The method requires that it stays the same. */
interface Question<Item> {
  mode: Mode<Item>;
  range: SlotRange;
  about: Pubkey;
  /** How it is asked at first. */
  form: number;
}

/** The next request of a question. */
interface Place {
  form: number;
  /** Null for the first request. */
  token: string | null;
}

export type GtfaSourceOptions = HistoryClientOptions & PostLimits;

/** Reads history with `getTransactionsForAddress`, a JSON-RPC method that some providers of Solana nodes have. */
export class GtfaSource implements HistorySource {
  readonly hasBytes = true;
  readonly hasLinks = false;
  private readonly client: HistoryClient;
  /** Index of the first form that the provider has not refused. */
  private form = 0;
  private requestId = 0;

  constructor(
    private readonly options: GtfaSourceOptions,
    private readonly logger: Logger,
  ) {
    this.client = new HistoryClient(METHOD, options, logger);
  }

  get name(): string {
    return this.client.name;
  }

  get usage(): HistoryUsage {
    return this.client.usage;
  }

  read(range: SlotRange, about: readonly Pubkey[], signal: AbortSignal): AsyncIterable<HistoryPage> {
    return mergePages(about.map((address) => this.readAbout(address, range, signal)));
  }

  async count(range: SlotRange, about: Pubkey, signal: AbortSignal): Promise<number> {
    let count = 0;
    for await (const items of this.readItems({ mode: SIGNATURES, range, about, form: this.form }, signal)) {
      count += items.filter(({ isFailed }) => !isFailed).length;
    }
    return count;
  }

  /** Where answers are too large, the rest of the range is a question of its own, with the lower limit. */
  private async *readAbout(about: Pubkey, range: SlotRange, signal: AbortSignal): AsyncIterable<HistoryPage> {
    let rest = range;
    try {
      for await (const page of this.readPages({ mode: FULL, range, about, form: this.form }, signal)) {
        rest = { from: toSlot(page.to + 1), to: range.to };
        yield page;
      }
    } catch (error) {
      if (!(error instanceof AnswerTooLargeError)) throw error;
      this.logger.info(
        { source: this.name, ...rest, limit: PROMISED },
        'answers of the source of history are too large',
      );
      yield* this.readPages({ mode: FULL, range: rest, about, form: withLowerLimit(this.form) }, signal);
    }
  }

  /** A slot is complete only when an item of a later one is known, or the end of the range: it may go on in the next answer. */
  private async *readPages(question: Question<GtfaTransaction>, signal: AbortSignal): AsyncIterable<HistoryPage> {
    const { to } = question.range;
    let { from } = question.range;
    let known: GtfaTransaction[] = [];
    for await (const items of this.readItems(question, signal)) {
      known = [...known, ...items];
      const last = known[known.length - 1].slot;
      if (last === from) continue;
      const complete = known.filter(({ slot }) => slot < last);
      known = known.filter(({ slot }) => slot === last);
      yield toHistoryPage({ from, to: toSlot(last - 1) }, complete);
      from = last;
    }
    yield toHistoryPage({ from, to }, known);
  }

  /** @returns the items in chain order, each once, in lists of at least one */
  private async *readItems<Item extends GtfaItem>(
    question: Question<Item>,
    signal: AbortSignal,
  ): AsyncIterable<Item[]> {
    const order = new GtfaOrder<Item>(question.range);
    const place: Place = { form: question.form, token: null };
    do {
      const { items, token } = await this.ask(question, place, order, signal);
      if (items.length === 0) return;
      yield items;
      place.token = token;
    } while (place.token !== null);
  }

  /** Repeats a request until its answer continues those before. @throws AnswerTooLargeError if a lower limit may help */
  private async ask<Item extends GtfaItem>(
    question: Question<Item>,
    place: Place,
    order: GtfaOrder<Item>,
    signal: AbortSignal,
  ): Promise<GtfaResult<Item>> {
    for (let failures = 1; ; failures++) {
      try {
        const { items, token } = await this.request(question, place, signal);
        return { items: order.accept(items), token };
      } catch (error) {
        if (error instanceof AnswerTooLargeError && withLowerLimit(place.form) !== place.form) throw error;
        if (failures > 1 && this.leaveForm(place, error)) failures = 0;
        else await this.client.recover(place.token === null ? error : asWrongToken(error), failures, signal);
      }
    }
  }

  private async request<Item>(
    { mode, range, about }: Question<Item>,
    { form, token }: Place,
    signal: AbortSignal,
  ): Promise<GtfaResult<Item>> {
    const { limit, filters } = FORMS[form];
    const id = ++this.requestId;
    const config = {
      ...mode.parameters,
      sortOrder: 'asc',
      limit,
      commitment: 'finalized',
      filters: { slot: { gte: range.from, lte: range.to }, ...filters },
      ...(token === null ? {} : { paginationToken: token }),
    };
    const request = { jsonrpc: '2.0', id, method: METHOD, params: [toBase58(about), config] };
    this.client.countCall();
    const body = Buffer.concat(await postToNode(this.options.url, JSON.stringify(request), this.options, signal));
    this.client.countBytes(body.length);
    return readAnswer(body.toString(), id, { read: (result) => readGtfaResult(result, mode.read) });
  }

  /** Asks in the next form if the provider refuses the parameters. All requests of one question have the same form. */
  private leaveForm(place: Place, error: unknown): boolean {
    const isRefused = error instanceof RpcAnswerError && error.rpcCode === INVALID_PARAMS;
    if (!isRefused || place.token !== null || place.form + 1 === FORMS.length) return false;
    place.form++;
    this.form = Math.max(this.form, place.form);
    const values = { source: this.name, ...FORMS[place.form] };
    this.logger.info(values, 'the source of history refuses some parameters, asking without them');
    return true;
  }
}

/** The form with the same filters. */
function withLowerLimit(form: number): number {
  return FORMS.findIndex(({ limit, filters }) => limit === PROMISED && filters === FORMS[form].filters);
}

/** What was asked for with success must not be refused later on. */
function asWrongToken(error: unknown): unknown {
  const isRefused = error instanceof RpcAnswerError && [INVALID_PARAMS, UNKNOWN_POSITION].includes(error.rpcCode);
  return isRefused ? new HistoryAnswerError(`it refuses its own token: ${error.message}`, { cause: error }) : error;
}
