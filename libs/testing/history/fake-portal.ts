import { FakeProvider, type ProviderAnswer, type ProviderRequest } from './fake-provider';
import { type LedgerBlock, type LedgerInstruction, type LedgerTransaction } from './history-ledger';
import { type Withheld } from './withheld';

const DATA_SET = '/datasets/solana-mainnet';

interface Query {
  type: string;
  fromBlock: number;
  toBlock?: number;
  fields: Partial<Record<'block' | 'transaction' | 'instruction', Record<string, boolean>>>;
  instructions: Filter[];
}

interface Filter {
  programId?: string[];
  mentionsAccount?: string[];
  isCommitted?: boolean;
  transaction?: boolean;
  transactionInstructions?: boolean;
}

/** A table row with all of its fields. */
type Row = Record<string, unknown>;

/** The Portal of SQD with one data set, over a ledger. */
export class FakePortal {
  withholds: Withheld = () => false;
  withholdsInstruction: (instruction: LedgerInstruction, transaction: LedgerTransaction) => boolean = () => false;
  /** The newest finalized slot. It may have no block. */
  head: number;
  /** An answer covers only so many blocks, also if the request wants more. */
  blocksOfAnswer = Infinity;
  /** So many lines are sent and compressed at once. */
  linesOfPart = 10;
  /** Answers leave out the first block that they cover. */
  omitsFirst = false;
  /** Tables of transactions and instructions are in reverse order. */
  reversesTables = false;

  private constructor(
    private readonly ledger: readonly LedgerBlock[],
    private readonly serving: () => FakeProvider,
  ) {
    this.head = ledger[ledger.length - 1].slot;
  }

  static async start(ledger: readonly LedgerBlock[]): Promise<FakePortal> {
    const fake: FakePortal = new FakePortal(ledger, () => provider);
    const provider = await FakeProvider.start((request) => fake.answer(request));
    return fake;
  }

  get provider(): FakeProvider {
    return this.serving();
  }

  /** Of the data set. */
  get url(): string {
    return `${this.provider.url}${DATA_SET}`;
  }

  close(): Promise<void> {
    return this.provider.close();
  }

  private answer({ path, body }: ProviderRequest): ProviderAnswer {
    if (path !== `${DATA_SET}/finalized-stream`) return { status: 404, parts: [`Dataset not found: ${path}`] };
    const query = body as unknown as Query;
    const problem = problemOf(query);
    if (problem !== null) return { status: 400, parts: [`Bad request: ${problem}`] };
    const headers = { 'x-sqd-finalized-head-number': String(this.head), 'content-type': 'application/jsonl' };
    const end = Math.min(query.toBlock ?? Infinity, this.head);
    const covered = this.ledger
      .filter(({ slot }) => slot >= query.fromBlock && slot <= end)
      .slice(0, this.blocksOfAnswer);
    if (covered.length === 0) return { status: 204, headers };
    const lines = covered.flatMap((block, at) => {
      const line = this.lineOf(block, query);
      const isBoundary = (at === 0 && !this.omitsFirst) || at === covered.length - 1;
      return isBoundary || line.transactions ? [`${JSON.stringify(line)}\n`] : [];
    });
    return { headers, parts: partsOf(lines, this.linesOfPart) };
  }

  private lineOf(block: LedgerBlock, { fields, instructions: filters }: Query) {
    const found = block.transactions.filter(
      (transaction) => !this.withholds(transaction) && filters.some((filter) => matches(transaction, filter)),
    );
    const transactions = found.map((each) => pick(transactionRow(each), fields.transaction));
    const instructions = found
      .filter((transaction) => filters.some((filter) => filter.transactionInstructions && matches(transaction, filter)))
      .flatMap((transaction) =>
        transaction.instructions
          .filter((instruction) => !this.withholdsInstruction(instruction, transaction))
          .map((instruction) => pick(instructionRow(instruction, transaction), fields.instruction)),
      );
    if (this.reversesTables) for (const table of [transactions, instructions]) table.reverse();
    return {
      header: pick(headerRow(block), fields.block),
      ...(transactions.length > 0 ? { transactions } : {}),
      ...(instructions.length > 0 ? { instructions } : {}),
    };
  }
}

function problemOf({ type, fromBlock, toBlock, instructions }: Query): string | null {
  if (type !== 'solana') return `unknown type ${type}`;
  if (!Number.isInteger(fromBlock)) return 'fromBlock is missing';
  if (toBlock !== undefined && toBlock < fromBlock) return 'toBlock is less than fromBlock';
  return instructions.every(({ transaction }) => transaction) ? null : 'this fake gives transactions only';
}

/** A failed transaction has no committed instructions. */
function matches({ isFailed, instructions }: LedgerTransaction, filter: Filter): boolean {
  if (filter.isCommitted === isFailed) return false;
  return instructions.some(
    ({ programId, accounts }) =>
      (filter.programId?.includes(programId) ?? true) &&
      (filter.mentionsAccount?.some((account) => accounts.includes(account)) ?? true),
  );
}

function headerRow({ slot, hash, parentSlot, parentHash, blockTime }: LedgerBlock): Row {
  return { number: slot, hash, parentNumber: parentSlot, parentHash, height: slot, timestamp: blockTime };
}

function transactionRow({ index, signature, version, isFailed, staticKeys }: LedgerTransaction): Row {
  const err = isFailed ? { InstructionError: [0, { Custom: 6001 }] } : null;
  return { transactionIndex: index, signatures: [signature], version, err, accountKeys: staticKeys };
}

function instructionRow(
  { path, programId, accounts, data }: LedgerInstruction,
  { index, isFailed }: LedgerTransaction,
): Row {
  return { transactionIndex: index, instructionAddress: path, programId, accounts, data, isCommitted: !isFailed };
}

/** Only the requested fields. */
function pick(row: Row, fields: Record<string, boolean> = {}): Row {
  return Object.fromEntries(Object.entries(row).filter(([name]) => fields[name]));
}

function partsOf(lines: readonly string[], size: number): string[] {
  const count = Math.ceil(lines.length / size);
  return Array.from({ length: count }, (_, at) => lines.slice(at * size, (at + 1) * size).join(''));
}
