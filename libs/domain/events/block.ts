import { type BlockLink } from '@fresnel/domain/chain';
import { FresnelError } from '@fresnel/domain/primitives';

/** A confirmed block as a source delivers it: its frame is checked, its transactions are not looked at yet. */
export interface Block extends BlockLink {
  /** Unix seconds; null where the chain does not know it. */
  blockTime: number | null;
  blockHeight: number | null;
  transactions: readonly RawTransaction[];
  /** The JSON text of transaction `index`, digit for digit as the source sent it. */
  textOf: (index: number) => string;
}

/** An entry of `getBlock`'s `transactions` in base64 encoding, nothing of it checked. */
export interface RawTransaction {
  transaction?: unknown;
  meta?: unknown;
}

/** A block from a source that cannot be parsed. */
export class MalformedBlockError extends FresnelError {
  readonly code = 'malformed-block';
  readonly isRetryable = true;
}
