import { type TransactionRecord } from '@fresnel/adapters/store-read';

/**
 * The result of the transaction methods as JSON text. The transaction is the node's own text: parsing and writing it again
 * would round its 64-bit integers. The compression info has two names because clients read either.
 */
export function transactionJson(
  transaction: TransactionRecord | null,
  toInfoJson: (transaction: TransactionRecord) => string,
): string {
  if (!transaction) return 'null';
  const info = toInfoJson(transaction);
  return `{"transaction":${transaction.json},"compressionInfo":${info},"compression_info":${info}}`;
}
