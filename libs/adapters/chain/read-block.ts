import { type Block, JsonCursor, parseBlock, TransactionFilter } from '@fresnel/domain/events';
import { type Pubkey, type Slot } from '@fresnel/domain/primitives';
import { readAnswer } from './rpc-answer';

/** What a text is, and what is read of it. */
export interface BlockTextOptions {
  /** Of the request if the text is a response of a node; null: the text is the block itself. */
  requestId: number | null;
  /** Of the block; null: the text has it. */
  slot: Slot | null;
  /** The first slot whose signatures are read. */
  signaturesFrom: number;
}

/**
 * Reads a block from its JSON text.
 *
 * @param accountCompression only transactions that may name this program are kept; null: all transactions
 * @returns null if the result of the response is null
 * @throws RpcAnswerError, NoAnswerError, MalformedBlockError
 */
export function readBlock(text: Buffer, options: BlockTextOptions, accountCompression: Pubkey | null): Block | null {
  const { requestId, slot, signaturesFrom } = options;
  const filter = accountCompression && new TransactionFilter(accountCompression);
  const rules = { keeps: (json: string) => filter?.mayName(json) ?? true, signaturesFrom };
  const read = (cursor: JsonCursor) => (cursor.skipNull() ? null : parseBlock(cursor, slot, rules));
  const json = text.toString();
  if (requestId !== null) return readAnswer(json, requestId, { read });
  const cursor = new JsonCursor(json);
  const block = read(cursor);
  cursor.end();
  return block;
}
