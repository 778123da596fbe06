import { type Block, MalformedBlockError, parseBlockTime, parseParentSlot } from '@fresnel/domain/events';
import {
  asFields,
  asList,
  asText,
  MalformedTextError,
  parseHash,
  type Pubkey,
  toSlot,
} from '@fresnel/domain/primitives';

/** The header of a confirmed block from the stream. */
export interface BlockFrame extends Omit<Block, 'transactions' | 'signatures'> {
  /**
   * Whether the block may contain watched transactions, or the stream may have omitted something. It is then fetched over
   * RPC: the stream encodes transactions differently.
   */
  needsFetch: boolean;
}

/**
 * Parses a block message of `block-view.proto`.
 *
 * @param watched only transactions that name this key are needed; null: all transactions are needed
 * @throws MalformedBlockError
 */
export function parseBlockFrame(message: unknown, watched: Pubkey | null): BlockFrame {
  try {
    const fields = asFields(message);
    const transactions = asList(fields.transactions);
    const executed = asInteger(fields.executedTransactionCount);
    const blockTime = parseBlockTime(asIntegerOrNull(fields.blockTime, 'timestamp'));
    const blockHeight = asIntegerOrNull(fields.blockHeight, 'blockHeight');
    const hasHeader = blockTime !== null && blockHeight !== null;
    const slot = toSlot(asInteger(fields.slot));
    return {
      slot,
      parentSlot: parseParentSlot(asInteger(fields.parentSlot), slot),
      blockhash: parseHash(asText(fields.blockhash)),
      parentBlockhash: parseHash(asText(fields.parentBlockhash)),
      blockTime,
      blockHeight,
      needsFetch: !hasHeader || needsFetch(transactions, executed, watched),
      transactionCount: executed,
    };
  } catch (error) {
    if (!(error instanceof MalformedTextError)) throw error;
    throw new MalformedBlockError(`invalid block in the stream: ${error.message}`, { cause: error });
  }
}

/**
 * True also if the stream may have omitted something: a transaction, or keys of one. A block without any transaction looks
 * like one whose transactions the server lost.
 */
function needsFetch(transactions: readonly unknown[], executed: number, watched: Pubkey | null): boolean {
  if (watched === null || executed === 0 || transactions.length !== executed) return true;
  return transactions.some((transaction) => mayName(transaction, watched));
}

/** Whether a transaction names a key, or does not have all of its keys: those of its message and of its lookup tables. */
function mayName(transaction: unknown, key: Pubkey): boolean {
  const { transaction: signed, meta } = asFields(transaction);
  if (!isPresent(signed) || !isPresent(meta)) return true;
  const { message } = asFields(signed);
  if (!isPresent(message)) return true;
  const { accountKeys, addressTableLookups } = asFields(message);
  const { loadedWritableAddresses, loadedReadonlyAddresses } = asFields(meta);
  const loaded = [...asList(loadedWritableAddresses), ...asList(loadedReadonlyAddresses)];
  const keys = [...asList(accountKeys), ...loaded].map(asBytes);
  const isIncomplete = keys.length === loaded.length || loaded.length !== countLookedUp(asList(addressTableLookups));
  return isIncomplete || keys.some((each) => key.equals(each));
}

function countLookedUp(lookups: readonly unknown[]): number {
  return lookups
    .map(asFields)
    .reduce((sum, lookup) => sum + asBytes(lookup.writableIndexes).length + asBytes(lookup.readonlyIndexes).length, 0);
}

function isPresent(message: unknown): boolean {
  return message !== null && message !== undefined;
}

function asBytes(value: unknown): Buffer {
  if (!Buffer.isBuffer(value)) throw new MalformedTextError('expected bytes');
  return value;
}

/** Reads an optional number, which protobuf wraps in a message. */
function asIntegerOrNull(message: unknown, name: string): number | null {
  return message === null || message === undefined ? null : asInteger(asFields(message)[name]);
}

/** Reads a 64-bit number, which the decoder returns as a decimal string. */
function asInteger(value: unknown): number {
  const text = asText(value);
  const integer = Number(text);
  if (text === '' || !Number.isSafeInteger(integer)) throw new MalformedTextError('expected an integer');
  return integer;
}
