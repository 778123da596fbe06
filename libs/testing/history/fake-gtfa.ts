import { FakeProvider, type ProviderAnswer, type ProviderRequest } from './fake-provider';
import { type LedgerBlock, type LedgerTransaction } from './history-ledger';
import { type Withheld } from './withheld';

const METHOD = 'getTransactionsForAddress';
const INVALID_PARAMS = -32602;
const VERSION_NOT_SUPPORTED = -32015;

interface Config {
  transactionDetails?: 'signatures' | 'full';
  sortOrder?: 'asc' | 'desc';
  limit?: number;
  encoding?: string;
  maxSupportedTransactionVersion?: number;
  paginationToken?: string;
  filters?: { slot?: { gte?: number; gt?: number; lte?: number; lt?: number }; status?: string };
}

/** A JSON-RPC error. */
class Refusal extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/** A provider with the method `getTransactionsForAddress` over a ledger. */
export class FakeGtfa {
  withholds: Withheld = () => false;
  /** Has lost the meta of these. */
  lacksMeta: Withheld = () => false;
  /** Bytes that are added to a transaction in full. */
  paddingOf: (transaction: LedgerTransaction) => number = () => 0;
  /** The most transactions of one answer. */
  maxLimit = 1_000;
  /** Whether a higher limit is refused, or lowered. */
  refusesHigherLimit = false;
  /** Filters that it does not know, by name. */
  unknownFilters: string[] = [];
  /** Whether unknown filters are refused, or ignored. */
  refusesUnknown = true;
  /** An answer has only so many transactions, also if others follow. */
  pageSize = Infinity;
  /** Whether the last answer with transactions has no token; otherwise only an empty answer has none. */
  endsWithoutToken = false;
  /** Tokens name a signature instead of a position. */
  namesSignatures = false;
  /** The transactions of a slot have the same index, in the order of their signatures. */
  givesEqualIndexes = false;
  /** Does not see accounts that come from lookup tables. */
  matchesStaticKeysOnly = false;
  /** So many requests get the answer to the request before. */
  repeats = 0;
  /** Says that there is nothing after this slot. */
  endsAt = Infinity;
  private lastResult = '{"data":[],"paginationToken":null}';
  private readonly transactions: LedgerTransaction[];

  private constructor(
    ledger: readonly LedgerBlock[],
    private readonly serving: () => FakeProvider,
  ) {
    this.transactions = ledger.flatMap(({ transactions }) => transactions);
  }

  /** @param ledger may contain blocks that are not on the chain */
  static async start(ledger: readonly LedgerBlock[]): Promise<FakeGtfa> {
    const fake: FakeGtfa = new FakeGtfa(ledger, () => provider);
    const provider = await FakeProvider.start((request) => fake.answer(request));
    return fake;
  }

  get provider(): FakeProvider {
    return this.serving();
  }

  get url(): string {
    return this.provider.url;
  }

  close(): Promise<void> {
    return this.provider.close();
  }

  private answer({ body: { id, method, params } }: ProviderRequest): ProviderAnswer {
    try {
      if (method !== METHOD) throw new Refusal(-32601, 'Method not found');
      const [address, config] = params as [string, Config];
      if (this.repeats > 0) this.repeats--;
      else this.lastResult = this.resultOf(address, config);
      return { parts: [`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${this.lastResult}}`] };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { parts: [JSON.stringify({ jsonrpc: '2.0', id, error: { code: error.code, message: error.message } })] };
    }
  }

  private resultOf(address: string, config: Config): string {
    const { transactionDetails = 'signatures', sortOrder = 'desc', paginationToken } = config;
    const limit = this.limitOf(config);
    const found = this.find(address, config);
    if (sortOrder === 'desc') found.reverse();
    const start = paginationToken === undefined ? 0 : this.startAfter(found, paginationToken);
    const page = found.slice(start, start + Math.min(limit, this.pageSize));
    const isLast = start + page.length === found.length;
    const last = page.at(-1);
    const token = last === undefined || (isLast && this.endsWithoutToken) ? null : this.tokenOf(last);
    if (transactionDetails === 'full') requireVersions(page, config);
    const write = transactionDetails === 'full' ? (each: LedgerTransaction) => this.fullItem(each) : signatureItem;
    return `{"data":[${page.map(write).join(',')}],"paginationToken":${JSON.stringify(token)}}`;
  }

  private limitOf({ limit = this.maxLimit }: Config): number {
    if (limit < 1 || (limit > this.maxLimit && this.refusesHigherLimit)) {
      throw new Refusal(INVALID_PARAMS, `limit must be from 1 to ${this.maxLimit}`);
    }
    return Math.min(limit, this.maxLimit);
  }

  /** In ascending order. */
  private find(address: string, { filters = {} }: Config): LedgerTransaction[] {
    const unknown = Object.keys(filters).find((name) => this.unknownFilters.includes(name));
    if (unknown !== undefined && this.refusesUnknown) throw new Refusal(INVALID_PARAMS, `unknown filter ${unknown}`);
    const { gte = 0, gt = -1, lte = Infinity, lt = Infinity } = filters.slot ?? {};
    const onlySucceeded = filters.status === 'succeeded' && unknown !== 'status';
    return this.transactions
      .filter(
        (each) =>
          each.slot >= gte &&
          each.slot > gt &&
          each.slot <= Math.min(lte, this.endsAt) &&
          each.slot < lt &&
          !(onlySucceeded && each.isFailed) &&
          (each.staticKeys.includes(address) || (!this.matchesStaticKeysOnly && each.loadedKeys.includes(address))) &&
          !this.withholds(each),
      )
      .map((each) => (this.givesEqualIndexes ? { ...each, index: 0 } : each))
      .sort((a, b) => a.slot - b.slot || a.index - b.index || (a.signature < b.signature ? -1 : 1));
  }

  private startAfter(found: readonly LedgerTransaction[], token: string): number {
    const at = found.findIndex((each) => this.tokenOf(each) === token);
    if (at === -1) throw new Refusal(INVALID_PARAMS, 'unknown pagination token');
    return at + 1;
  }

  private tokenOf({ slot, index, signature }: LedgerTransaction): string {
    return this.namesSignatures || this.givesEqualIndexes ? signature : `${slot}:${index}`;
  }

  private fullItem(transaction: LedgerTransaction): string {
    const { slot, index, blockTime, json } = transaction;
    const entry = this.lacksMeta(transaction) ? JSON.stringify({ ...(JSON.parse(json) as object), meta: null }) : json;
    const place = `"slot":${slot},"transactionIndex":${index},"blockTime":${blockTime}`;
    return `{${place},"padding":"${'x'.repeat(this.paddingOf(transaction))}",${entry.slice(1)}`;
  }
}

/** The whole answer fails. */
function requireVersions(
  page: readonly LedgerTransaction[],
  { maxSupportedTransactionVersion: max = -1 }: Config,
): void {
  const unsupported = page.find(({ version }) => version !== 'legacy' && version > max);
  if (!unsupported) return;
  const reason = `Transaction version (${unsupported.version}) is not supported by the requesting client`;
  throw new Refusal(VERSION_NOT_SUPPORTED, reason);
}

function signatureItem({ signature, slot, index, isFailed, blockTime }: LedgerTransaction): string {
  const err = isFailed ? { InstructionError: [0, { Custom: 6001 }] } : null;
  const position = { signature, slot, transactionIndex: index, blockTime };
  return JSON.stringify({ ...position, err, memo: null, confirmationStatus: 'finalized' });
}
