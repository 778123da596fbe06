import { encodeTransactionJson } from '@fresnel/domain/chain/transaction-json';
import { yieldAfter } from '@fresnel/platform';

/** Injection token of a `TransactionJsonEncoder`. Without one, the calling thread encodes. */
export const TRANSACTION_JSON_ENCODER = Symbol('TransactionJsonEncoder');

/** The JSON text of a transaction that is to be stored. */
export interface TransactionJson {
  json: string;
  /** Bytes that probably occur in the transaction. */
  known: readonly Buffer[];
}

/** Encodes transactions as `encodeTransactionJson` does, and returns them in their order. */
export type TransactionJsonEncoder = (transactions: readonly TransactionJson[]) => Promise<Buffer[]>;

/** Longest turn of the event loop in which transactions are encoded. */
const MAX_TURN_MS = 5;

/** Encodes in the calling thread, in short turns of the event loop. */
export const encodeInTurns: TransactionJsonEncoder = async (transactions) => {
  const encoded: Buffer[] = [];
  for (const { json, known } of transactions) {
    encoded.push(encodeTransactionJson(json, known));
    await yieldAfter(MAX_TURN_MS);
  }
  return encoded;
};
