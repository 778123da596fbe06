import { FresnelError, parsePubkey, type Signature } from '@fresnel/domain/primitives';
import { type DecodedTransaction, decodeTransaction } from './transaction.codec';

const VOTE_PROGRAM = parsePubkey('Vote111111111111111111111111111111111111111');

/*
 * To parse the JSON of all transactions of a block takes as long as everything else that is done with it. Quotes inside of JSON
 * strings are escaped, so these can only match members.
 */

/** The transaction itself. */
const WIRE = /"transaction":\s*\["([A-Za-z0-9+/=]+)",\s*"base64"\]/;
/** Of a transaction that succeeded. A node that names no error may not have recorded it. */
const NO_ERROR = /"err":\s*null/;

/** The most signatures of one block that are kept. */
export const MAX_BLOCK_SIGNATURES = 1_000;

/**
 * Finds the transactions of a block that succeeded and do not vote, whatever else they do. Ignores those that cannot be
 * decoded.
 *
 * @param transactions the JSON text of each
 * @returns their signatures in block order: the last `MAX_BLOCK_SIGNATURES`
 */
export function findSignatures(transactions: readonly string[]): Signature[] {
  const signatures: Signature[] = [];
  for (let at = transactions.length - 1; at >= 0 && signatures.length < MAX_BLOCK_SIGNATURES; at--) {
    const decoded = decode(transactions[at]);
    if (decoded && !isVote(decoded)) signatures.push(decoded.signature);
  }
  return signatures.reverse();
}

/**
 * Finds the signature of one transaction, whether it succeeded or not.
 *
 * @param json an element of `transactions` in a `getBlock` result
 * @returns null unless the transaction is in base64 and can be decoded
 */
export function findSignature(json: string): Signature | null {
  return decodeWire(json)?.signature ?? null;
}

/** @returns null for a transaction that failed, or may have */
function decode(json: string): DecodedTransaction | null {
  return NO_ERROR.test(json) ? decodeWire(json) : null;
}

function decodeWire(json: string): DecodedTransaction | null {
  const wire = WIRE.exec(json);
  if (!wire) return null;
  try {
    return decodeTransaction(Buffer.from(wire[1], 'base64'));
  } catch (error) {
    if (!(error instanceof FresnelError)) throw error;
    return null;
  }
}

/** The program of an instruction of the message is always among the static keys. */
function isVote({ staticKeys, instructions }: DecodedTransaction): boolean {
  return instructions.some(({ programIndex }) => staticKeys.at(programIndex)?.equals(VOTE_PROGRAM) === true);
}
