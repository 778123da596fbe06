import { type BlockLink } from '@fresnel/domain/chain';
import { FresnelError } from '@fresnel/domain/primitives';

/** A confirmed block from a source. Its header is parsed, its transactions are not. */
export interface Block extends BlockLink {
  /** Unix seconds; null if the chain has none. */
  blockTime: number | null;
  blockHeight: number | null;
  /** The JSON text of each entry of `transactions` in a `getBlock` result with base64 encoding, unchanged. */
  transactions: readonly string[];
  /** Whether the source has omitted all transactions, because none of them involves compression. */
  omitsTransactions?: boolean;
}

/** A block from a source that cannot be parsed. */
export class MalformedBlockError extends FresnelError {
  readonly code = 'malformed-block';
  readonly isRetryable = true;
}
