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

/** A confirmed block as the stream tells of it. */
export interface BlockFrame extends Omit<Block, 'transactions' | 'textOf'> {
  /** Whether it holds transactions that are wanted; the stream cannot give them as a node's RPC does. */
  hasWanted: boolean;
}

/**
 * Reads a block message of `block-view.proto`.
 *
 * @param watched only transactions that name this key are wanted; null: all are
 * @throws MalformedBlockError
 */
export function parseBlockFrame(message: unknown, watched: Pubkey | null): BlockFrame {
  try {
    const fields = asFields(message);
    return {
      slot: toSlot(asWhole(fields.slot)),
      parentSlot: toSlot(asWhole(fields.parentSlot)),
      blockhash: parseHash(asText(fields.blockhash)),
      parentBlockhash: parseHash(asText(fields.parentBlockhash)),
      blockTime: asWholeOrNull(fields.blockTime, 'timestamp'),
      blockHeight: asWholeOrNull(fields.blockHeight, 'blockHeight'),
      hasWanted: hasWanted(asList(fields.transactions), asWhole(fields.executedTransactionCount), watched),
    };
  } catch (error) {
    if (!(error instanceof MalformedTextError)) throw error;
    throw new MalformedBlockError(`a block of the stream: ${error.message}`, { cause: error });
  }
}

/** A transaction that the stream left out may be one that is wanted. */
function hasWanted(transactions: readonly unknown[], executed: number, watched: Pubkey | null): boolean {
  if (watched === null) return executed > 0 || transactions.length > 0;
  if (transactions.length !== executed) return true;
  // Keys, loaded ones included, are 32 bytes in a row wherever they stand. What only looks like one costs a request.
  return transactions.some((transaction) => asBytes(transaction).includes(watched));
}

function asBytes(value: unknown): Buffer {
  if (!Buffer.isBuffer(value)) throw new MalformedTextError('not bytes where some are due');
  return value;
}

/** A number in a message of its own, so that it can be absent. */
function asWholeOrNull(message: unknown, name: string): number | null {
  return message === null || message === undefined ? null : asWhole(asFields(message)[name]);
}

/** 64-bit numbers come as decimal text. */
function asWhole(value: unknown): number {
  const text = asText(value);
  const whole = Number(text);
  if (text === '' || !Number.isSafeInteger(whole)) throw new MalformedTextError('not a whole number where one is due');
  return whole;
}
