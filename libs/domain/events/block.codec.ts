import { asSlot, asText, MalformedTextError, parseHash, type Slot } from '@fresnel/domain/primitives';
import { type Block, type BlockTransaction, MalformedBlockError, parseBlockTime, parseParentSlot } from './block';
import { findSignatures } from './find-signatures';
import { type JsonCursor } from './json-cursor';
import { findMissingPart } from './missing-part';

/** What is read of a block. */
export interface BlockRules {
  /** Whether a transaction is kept. */
  keeps: (json: string) => boolean;
  /** The first slot whose signatures are read. */
  signaturesFrom: number;
}

const ALL: BlockRules = { keeps: () => true, signaturesFrom: 0 };

/**
 * Parses a `getBlock` result. Its transactions are not parsed.
 *
 * @param cursor at the result, which is read
 * @param slot of the block; null: the result has a member `slot`, as recorded blocks have
 * @param rules by default, all transactions and signatures are read
 * @throws MalformedBlockError
 */
export function parseBlock(cursor: JsonCursor, slot: Slot | null = null, rules = ALL): Block {
  const members = readMembers(cursor);
  const known = slot ?? orMalformed('', () => asSlot(requireMembers(members).header.get('slot')));
  return orMalformed(`block ${known}: `, () => {
    const { header, transactions } = requireMembers(members);
    if (!transactions) throw new MalformedTextError('expected an array of transactions');
    const kept = keep(transactions, rules);
    const missingPart = findFirstMissingPart(kept);
    return {
      slot: known,
      parentSlot: parseParentSlot(header.get('parentSlot'), known),
      blockhash: parseHash(asText(header.get('blockhash'))),
      parentBlockhash: parseHash(asText(header.get('previousBlockhash'))),
      blockTime: parseBlockTime(header.get('blockTime')),
      blockHeight: asHeightOrNull(header.get('blockHeight')),
      transactionCount: transactions.length,
      transactions: kept,
      ...(missingPart === null ? {} : { missingPart }),
      signatures: known >= rules.signaturesFrom ? findSignatures(transactions) : null,
    };
  });
}

function keep(transactions: readonly string[], { keeps }: BlockRules): BlockTransaction[] {
  return transactions.flatMap((json, index) => (keeps(json) ? [{ index, json }] : []));
}

function findFirstMissingPart(transactions: readonly BlockTransaction[]): string | null {
  for (const { index, json } of transactions) {
    const part = findMissingPart(json);
    if (part !== null) return `transaction ${index}: ${part}`;
  }
  return null;
}

const HEADER = new Set(['slot', 'parentSlot', 'blockhash', 'previousBlockhash', 'blockTime', 'blockHeight']);

interface Members {
  header: ReadonlyMap<string, unknown>;
  /** Null if there is no array of this name. */
  transactions: string[] | null;
}

/** @returns null if the value is not an object */
function readMembers(cursor: JsonCursor): Members | null {
  const header = new Map<string, unknown>();
  const members: Members = { header, transactions: null };
  const isObject = cursor.visitMembers((name) => {
    if (name === 'transactions') members.transactions = readElements(cursor);
    else if (HEADER.has(name)) header.set(name, cursor.readValue());
    else cursor.skip();
  });
  return isObject ? members : null;
}

/** @returns the text of each element; null if the value is not an array */
function readElements(cursor: JsonCursor): string[] | null {
  const elements: string[] = [];
  const isArray = cursor.visitElements(() => elements.push(cursor.readText()));
  if (!isArray) cursor.skip();
  return isArray ? elements : null;
}

function requireMembers(members: Members | null): Members {
  if (!members) throw new MalformedTextError('expected an object');
  return members;
}

function orMalformed<Value>(subject: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof MalformedTextError)) throw error;
    throw new MalformedBlockError(subject + error.message, { cause: error });
  }
}

function asHeightOrNull(value: unknown): number | null {
  return value === null || value === undefined ? null : asSlot(value);
}
