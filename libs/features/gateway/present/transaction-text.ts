import { type TransactionRecord } from '@fresnel/adapters/store-read';

/**
 * The result of the transaction methods as JSON text. The node's own text goes in as it is: reading and writing it again
 * would round its large numbers. The container comes under two names, because clients read either.
 */
export function transactionText(
  transaction: TransactionRecord | null,
  infoText: (transaction: TransactionRecord) => string,
): string {
  if (!transaction) return 'null';
  const info = infoText(transaction);
  return `{"transaction":${transaction.json},"compressionInfo":${info},"compression_info":${info}}`;
}
