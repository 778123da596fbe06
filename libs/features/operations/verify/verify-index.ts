import { type SampledTransaction } from '@fresnel/adapters/store-read';
import { asNumber, type Hasher, messageOf, type Pubkey, toBase58, toHash } from '@fresnel/domain/primitives';
import { type AddressTreeType } from '@fresnel/domain/trees';
import { type AskIndex, type Side } from './ask-index';
import { checkAccountHash } from './check-proofs';
import { type Asked, type Asking, compareAnswers } from './compare-answers';
import { type NodeRoots } from './node-roots';
import { ProofChecker } from './proof-checker';
import { type Question, questionsAbout, readTransaction, toAsked, type TransactionAccounts } from './questions';
import { randomBytesOf, sampleTransactions, type TransactionTable } from './sample-transactions';
import { type CheckKind, type Outcome, Tally, type Verification } from './verification';

/** A tree that was compared with its account on the chain. */
export interface CheckedTree {
  tree: Pubkey;
  outcome: Outcome;
}

/** The index, and what it is compared with. */
export interface VerificationParts {
  /** The gateway of the index. */
  index: AskIndex;
  /** The gateway of another index; null: there is none. */
  against: AskIndex | null;
  /** The tables of the index, from which samples are taken. */
  transactions: TransactionTable;
  addressTrees: () => Promise<{ tree: Pubkey; type: AddressTreeType }[]>;
  /** Compares all trees with the chain; null without a node. */
  checkTrees: ((signal: AbortSignal) => Promise<CheckedTree[]>) | null;
  /** Null without a node. */
  roots: NodeRoots | null;
  hasher: Hasher;
  onProgress: (tally: Tally) => void;
}

export interface VerificationOptions {
  /** Transactions to sample. */
  samples: number;
  seed: number;
  pauses: Asking['pauses'];
}

/** Transactions whose questions are asked at the same time. */
const CONCURRENCY = 4;
/** Pages of a list, of a thousand items. */
const MAX_PAGES = 10;
/** Proofs of new addresses for each address tree. */
const NEW_ADDRESSES = 5;

/**
 * Verifies an index by a sample.
 *
 * ```
 *   tables ── random transactions ──► their accounts ──► owners, addresses, mints
 *                                         │                      │
 *                          hashes and proofs (chain)     answers (another index)
 * ```
 *
 * When the signal aborts, it reports what was seen.
 */
export async function verifyIndex(
  parts: VerificationParts,
  options: VerificationOptions,
  signal: AbortSignal,
): Promise<Verification> {
  const tally = new Tally();
  let isComplete = false;
  try {
    const run = new VerificationRun(parts, options, tally, signal);
    await run.checkTrees();
    const sample = await sampleTransactions(parts.transactions, options.samples, options.seed);
    isComplete = sample.isComplete;
    const transactions = sample.transactions[Symbol.asyncIterator]();
    await Promise.all(Array.from({ length: CONCURRENCY }, () => run.checkTransactions(transactions)));
    await run.checkNewAddresses();
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return tally.report({ seed: options.seed, isComplete, isInterrupted: signal.aborted });
}

class VerificationRun {
  /** Questions that were asked: several accounts have the same owner. It grows with the sample, not with the index. */
  private readonly asked = new Set<string>();
  private readonly proofs: ProofChecker;
  private readonly asking: Asking;

  constructor(
    private readonly parts: VerificationParts,
    private readonly options: VerificationOptions,
    private readonly tally: Tally,
    private readonly signal: AbortSignal,
  ) {
    this.asking = { pauses: options.pauses, signal };
    this.proofs = new ProofChecker(parts.hasher, parts.roots, this.asking);
  }

  async checkTrees(): Promise<void> {
    for (const { tree, outcome } of (await this.parts.checkTrees?.(this.signal)) ?? []) {
      this.add('trees', `tree ${toBase58(tree)}`, outcome);
    }
  }

  async checkTransactions(transactions: AsyncIterator<SampledTransaction>): Promise<void> {
    for (;;) {
      const next = await transactions.next();
      if (next.done) return;
      this.signal.throwIfAborted();
      await this.checkTransaction(next.value);
      this.tally.samples++;
    }
  }

  private async checkTransaction({ id, signature, created }: SampledTransaction): Promise<void> {
    const slot = Number(id >> 16n);
    const answers = await this.compareTransaction({ signature: toBase58(signature) }, slot);
    for (const account of answers.get('index')?.opened ?? []) {
      const outcome = checkAccountHash(account, slot, this.parts.hasher);
      this.add('accounts', `hash of account ${String(account.hash)}`, outcome);
    }
    const subjects = [...answers.values()].flatMap((answer) => answer.subjects);
    for (const subject of subjects) {
      for (const question of questionsAbout(subject)) await this.compare(question);
    }
    for (const hash of new Set([...created.map(toBase58), ...subjects.map((subject) => subject.hash)])) {
      await this.compare({ kind: 'accounts', method: 'getCompressedAccountV2', params: { hash } });
      await this.checkAccountProofs(hash);
    }
  }

  /** @returns the accounts that each index names */
  private async compareTransaction(
    params: { signature: string },
    slot: number,
  ): Promise<ReadonlyMap<Side, TransactionAccounts>> {
    const method = 'getTransactionWithCompressionInfoV2';
    const answers = new Map<Side, TransactionAccounts>();
    const askSide = (side: Side, ask: AskIndex) => async (): Promise<Asked> => {
      const indexed = await ask('getIndexerSlot', [], this.signal);
      if ('failure' in indexed) return indexed;
      return this.ask(ask, { method, params }, (result) => {
        const transaction = readTransaction(result);
        if (transaction) answers.set(side, transaction);
        // A transaction does not change: any index that has its slot gives the answer of its slot.
        return { slot: Math.min(asNumber(indexed.result), slot), value: transaction && transaction.value };
      });
    };
    const { index, against } = this.parts;
    const askIndex = askSide('index', index);
    if (against) {
      const outcome = await compareAnswers(askIndex, askSide('against', against), this.asking);
      this.add('transactions', describe(method, params), outcome);
    } else {
      const asked = await askIndex();
      if ('failure' in asked) {
        this.add('transactions', describe(method, params), { result: 'not-checked', reason: asked.failure });
      }
    }
    return answers;
  }

  /**
   * Asks both indexes, unless this was asked before, or there is no other index. The next page of a list follows the last item of one that
   * both have, so each page is compared at a slot of its own.
   */
  private async compare(question: Question): Promise<void> {
    const { index, against } = this.parts;
    if (!against || !this.isNew(describe(question.method, question.params))) return;
    let asked = question;
    for (let page = 1; page <= MAX_PAGES; page++) {
      const askSide = (ask: AskIndex) => () => this.ask(ask, asked, (result) => toAsked(asked, result));
      const outcome = await compareAnswers(askSide(index), askSide(against), this.asking);
      this.add(question.kind, describe(asked.method, asked.params), outcome);
      if (outcome.result !== 'equal') return;
      const [cursor, other] = outcome.readings.map(({ next }) => next ?? null);
      if (cursor === null) return;
      // With another cursor, the other index may continue in another order, as Photon does with accounts of an owner.
      if (cursor !== other) break;
      asked = { ...question, params: { ...question.params, cursor } };
    }
    this.tally.cutLists++;
  }

  private async checkAccountProofs(hash: string): Promise<void> {
    if (!this.isNew(`proof ${hash}`)) return;
    for (const [side, ask] of this.sides()) {
      const outcome = await this.proofs.checkAccount(side, ask, hash);
      if (outcome) this.add('proofs', describe('getCompressedAccountProofV2', { hash }), outcome);
    }
  }

  async checkNewAddresses(): Promise<void> {
    for (const { tree, type } of await this.parts.addressTrees()) {
      for (let number = 0; number < NEW_ADDRESSES; number++) {
        const address = randomBytesOf(this.options.seed, `${toBase58(tree)} ${number}`);
        address[0] = 0; // as of all derived addresses
        const outcomes = this.sides().map(([side, ask]) =>
          this.proofs.checkNewAddress(side, ask, { address: toHash(address), tree, type }),
        );
        for (const outcome of await Promise.all(outcomes)) {
          this.add('proofs', `new address ${toBase58(toHash(address))} in tree ${toBase58(tree)}`, outcome);
        }
      }
    }
  }

  private sides(): [Side, AskIndex][] {
    const { index, against } = this.parts;
    return against
      ? [
          ['index', index],
          ['against', against],
        ]
      : [['index', index]];
  }

  /** @param read converts the result; an answer that it cannot read is none */
  private async ask(
    ask: AskIndex,
    { method, params }: Pick<Question, 'method' | 'params'>,
    read: (result: unknown) => Asked,
  ): Promise<Asked> {
    const answer = await ask(method, params, this.signal);
    if ('failure' in answer) return answer;
    try {
      return read(answer.result);
    } catch (error) {
      return { failure: `an answer that cannot be read: ${messageOf(error)}` };
    }
  }

  private isNew(question: string): boolean {
    if (this.asked.has(question)) return false;
    this.asked.add(question);
    return true;
  }

  private add(kind: CheckKind, question: string, outcome: Outcome): void {
    this.tally.add(kind, question, outcome);
    this.parts.onProgress(this.tally);
  }
}

function describe(method: string, params: object): string {
  return `${method} ${JSON.stringify(params)}`;
}
