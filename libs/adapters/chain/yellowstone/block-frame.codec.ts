import { type Block, MalformedBlockError, parseBlockTime, parseParentSlot } from '@fresnel/domain/events';
import { MalformedTextError, parseHash, type Pubkey, toSlot } from '@fresnel/domain/primitives';
import {
  type Block as StreamedBlock,
  type MessageAddressTableLookup,
  type TransactionInfo,
} from '../generated/geyser-subset_pb';

/** The header of a confirmed block from the stream. */
export interface BlockFrame extends Omit<Block, 'transactions' | 'signatures'> {
  /**
   * Whether the block may contain watched transactions, or the stream may have omitted something. It is then fetched over
   * RPC: the stream encodes transactions differently.
   */
  needsFetch: boolean;
}

/**
 * Parses a block of the stream.
 *
 * @param watched only transactions that name this key are needed; null: all transactions are needed
 * @param isFiltered whether the server was asked to leave out all other transactions
 * @throws MalformedBlockError
 */
export function parseBlockFrame(message: StreamedBlock, watched: Pubkey | null, isFiltered: boolean): BlockFrame {
  try {
    const executed = toInteger(message.executedTransactionCount);
    const blockTime = parseBlockTime(message.blockTime ? toInteger(message.blockTime.timestamp) : null);
    const blockHeight = message.blockHeight ? toInteger(message.blockHeight.blockHeight) : null;
    const hasHeader = blockTime !== null && blockHeight !== null;
    const slot = toSlot(toInteger(message.slot));
    return {
      slot,
      parentSlot: parseParentSlot(toInteger(message.parentSlot), slot),
      blockhash: parseHash(message.blockhash),
      parentBlockhash: parseHash(message.parentBlockhash),
      blockTime,
      blockHeight,
      needsFetch: !hasHeader || needsFetch(message.transactions, executed, watched, isFiltered),
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
function needsFetch(
  transactions: readonly TransactionInfo[],
  executed: number,
  watched: Pubkey | null,
  isFiltered: boolean,
): boolean {
  if (watched === null || executed === 0) return true;
  if (isFiltered && transactions.length === 0) return false;
  if (transactions.length !== executed) return true;
  return transactions.some((transaction) => mayName(transaction, watched));
}

/** Whether a transaction names a key, or does not have all of its keys: those of its message and of its lookup tables. */
function mayName({ transaction, meta }: TransactionInfo, key: Pubkey): boolean {
  const message = transaction?.message;
  if (!message || !meta) return true;
  const { accountKeys, addressTableLookups } = message;
  const loaded = [...meta.loadedWritableAddresses, ...meta.loadedReadonlyAddresses];
  const isIncomplete = accountKeys.length === 0 || loaded.length !== countLookedUp(addressTableLookups);
  return isIncomplete || [...accountKeys, ...loaded].some((each) => key.equals(each));
}

function countLookedUp(lookups: readonly MessageAddressTableLookup[]): number {
  return lookups.reduce((sum, { writableIndexes, readonlyIndexes }) => {
    return sum + writableIndexes.length + readonlyIndexes.length;
  }, 0);
}

/** @throws MalformedTextError for a number that would be rounded */
function toInteger(value: bigint): number {
  const integer = Number(value);
  if (!Number.isSafeInteger(integer)) throw new MalformedTextError(`expected an integer below 2^53, not ${value}`);
  return integer;
}
