import { type AttestedRange, type BlockLink } from '@fresnel/domain/chain';
import {
  asInteger,
  asSlot,
  FresnelError,
  MalformedTextError,
  type Signature,
  type Slot,
} from '@fresnel/domain/primitives';

/** A transaction of a block. It is not parsed. */
export interface BlockTransaction {
  /** Among all transactions of the block, from 0. */
  index: number;
  /** The JSON text of the entry of `transactions` in a `getBlock` result with base64 encoding, unchanged. */
  json: string;
  /** Why its source does not know where it belongs, as `writePlaceProblem` says it; absent otherwise. */
  problem?: string;
}

/** A confirmed block from a source. Its header is parsed, its transactions are not. */
export interface Block extends BlockLink {
  /** Unix seconds; null if the node does not know it. A source delivers the time of the nearest ancestor that has one then. */
  blockTime: number | null;
  blockHeight: number | null;
  /** Number of all transactions. */
  transactionCount: number;
  /** In block order. A source omits transactions that do not involve compression. */
  transactions: readonly BlockTransaction[];
  /** Which part of a transaction the source has left out; absent if it has left out none. See `findMissingPart`. */
  missingPart?: string;
  /** See `findSignatures`; null if the source has not read them. */
  signatures: Signature[] | null;
  /** The range that the block ends, if a history source attests one. */
  attested?: AttestedRange;
}

/** A block from a source that cannot be parsed. */
export class MalformedBlockError extends FresnelError {
  readonly code = 'malformed-block';
  readonly isRetryable = true;
}

/** Reads the slot of a block's parent. Only the first block of a chain is its own parent. @throws MalformedTextError */
export function parseParentSlot(value: unknown, slot: Slot): Slot {
  const parentSlot = asSlot(value);
  if (parentSlot < slot || (slot === 0 && parentSlot === 0)) return parentSlot;
  throw new MalformedTextError(`parent slot ${parentSlot} is not below the slot`);
}

/** Reads the time of a block, null if there is none. Some nodes write 0 for a time that they do not know. @throws MalformedTextError */
export function parseBlockTime(value: unknown): number | null {
  const time = value === null || value === undefined ? 0 : asInteger(value);
  return time > 0 ? time : null;
}
