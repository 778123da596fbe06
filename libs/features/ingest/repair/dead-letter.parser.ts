import { type StoredDeadLetter } from '@fresnel/adapters/store-write';
import { poseidonBatch } from '@fresnel/domain/poseidon';
import { type Pubkey, type Slot, ZERO_HASH } from '@fresnel/domain/primitives';
import { foldAccounts, readPlaceProblem, type SlotEvents, type TransactionEvents } from '@fresnel/domain/state';
import { type TreeInfo } from '@fresnel/domain/trees';
import { type SlotReader } from '../read/slot.reader';

/** One attempt to look up a tree: the retry itself is repeated. */
export const ONE_LOOKUP = 0;

/** Reads the transactions of dead letters again, from their stored JSON. */
export class DeadLetterParser {
  constructor(
    private readonly reader: Pick<SlotReader, 'trees' | 'parser'>,
    private readonly tokenProgram: Pubkey,
  ) {}

  /**
   * The reasons that ingest and projectors would give now. Empty if the transaction can be read completely.
   *
   * @returns null if a tree that it names cannot be read now, or if its place is unknown: the text does not tell it
   */
  async readReasons({ slot, index, json, reasons }: StoredDeadLetter, signal: AbortSignal): Promise<string[] | null> {
    if (reasons.some((reason) => readPlaceProblem(reason) !== null)) return null;
    const parsed = this.reader.parser.parse(json);
    if (!parsed) return [];
    const { signature, events, problems } = parsed;
    const { trees, unread } = await this.reader.trees.resolve(events, slot, signal, ONE_LOOKUP);
    if (unread.size > 0) return null;
    if (!signature) return problems;
    return [...problems, ...(await this.findFoldReasons(slot, { signature, index, events, json }, trees))];
  }

  /** The reasons that projectors would give. */
  private async findFoldReasons(slot: Slot, transaction: TransactionEvents, trees: TreeInfo[]): Promise<string[]> {
    const hashBatch = (arity: number, inputs: Buffer) => Promise.resolve(poseidonBatch(arity, inputs));
    const facts = await foldAccounts(inSlot(slot, transaction, trees), this.tokenProgram, hashBatch);
    return facts.deadLetters.flatMap(({ reasons }) => reasons);
  }
}

/** A slot with one transaction. Facts do not depend on its block. */
function inSlot(slot: Slot, transaction: TransactionEvents, trees: TreeInfo[]): SlotEvents {
  const block = { slot, blockhash: ZERO_HASH, parentSlot: slot, parentBlockhash: ZERO_HASH };
  const times = { blockTime: 0, blockHeight: null, isFirst: false };
  return { ...block, ...times, transactions: [transaction], trees, deadLetters: [], signatures: null };
}
