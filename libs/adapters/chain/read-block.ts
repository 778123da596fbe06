import { type Block, JsonCursor, parseBlock, TransactionFilter } from '@fresnel/domain/events';
import { type Pubkey, type Slot } from '@fresnel/domain/primitives';

/** What is read of a block. */
export interface BlockRules {
  /** Of the block; null: the text has it. */
  slot: Slot | null;
  /** Only transactions that may name this program are kept; null: all transactions. */
  accountCompression: Pubkey | null;
  /** The first slot whose signatures are read. */
  signaturesFrom: number;
}

/**
 * Reads a block from its JSON, without building what is not kept.
 *
 * @returns null if the value at the cursor is null
 * @throws MalformedBlockError
 */
export function readBlock(cursor: JsonCursor, { slot, accountCompression, signaturesFrom }: BlockRules): Block | null {
  const filter = accountCompression && new TransactionFilter(accountCompression);
  const keeps = (json: string) => filter?.mayName(json) ?? true;
  return cursor.skipNull() ? null : parseBlock(cursor, slot, { keeps, signaturesFrom });
}

/** Reads a block from a text that contains nothing else. @throws MalformedBlockError */
export function readBlockText(text: string, rules: BlockRules): Block | null {
  const cursor = new JsonCursor(text);
  const block = readBlock(cursor, rules);
  cursor.end();
  return block;
}
