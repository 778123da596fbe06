import { type Block, MalformedBlockError } from '@fresnel/domain/events';
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
   * Whether the block may contain watched transactions. It is then fetched over RPC: the stream encodes transactions
   * differently.
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
    return {
      slot: toSlot(asInteger(fields.slot)),
      parentSlot: toSlot(asInteger(fields.parentSlot)),
      blockhash: parseHash(asText(fields.blockhash)),
      parentBlockhash: parseHash(asText(fields.parentBlockhash)),
      blockTime: asIntegerOrNull(fields.blockTime, 'timestamp'),
      blockHeight: asIntegerOrNull(fields.blockHeight, 'blockHeight'),
      needsFetch: needsFetch(transactions, executed, watched),
      transactionCount: executed,
    };
  } catch (error) {
    if (!(error instanceof MalformedTextError)) throw error;
    throw new MalformedBlockError(`invalid block in the stream: ${error.message}`, { cause: error });
  }
}

/** True also if the stream omitted transactions: one of them may name the key. */
function needsFetch(transactions: readonly unknown[], executed: number, watched: Pubkey | null): boolean {
  if (watched === null) return executed > 0 || transactions.length > 0;
  if (transactions.length !== executed) return true;
  // Every key, also one from a lookup table, is 32 contiguous bytes. A false match only costs a request.
  return transactions.some((transaction) => asBytes(transaction).includes(watched));
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
