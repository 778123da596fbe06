import { type AttestedRange, type BlockLink } from '@fresnel/domain/chain';
import { type CompressionEvent } from '@fresnel/domain/events';
import { type Signature } from '@fresnel/domain/primitives';
import { type TreeInfo } from '@fresnel/domain/trees';

/** The compression events of one slot. Every block has one, also without events. */
export interface SlotEvents extends BlockLink {
  /** Unix seconds. */
  blockTime: number;
  blockHeight: number | null;
  /** Whether this is the first slot of the index. */
  isFirst: boolean;
  /** Transactions with events, in the order of the block. */
  transactions: TransactionEvents[];
  /**
   * Every tree that the events name, and trees found since the previous slot. So slots can be processed in any order.
   */
  trees: TreeInfo[];
  deadLetters: DeadLetter[];
  /**
   * Signatures of the transactions that succeeded and do not vote, in block order: the last ones, if the block has many.
   * Null if they are not recorded: the block is far behind the chain tip, or its source omits transactions.
   */
  signatures: Signature[] | null;
  /** The range that the slot ends, if a history source attests one. */
  attested?: AttestedRange;
}

export interface TransactionEvents {
  signature: Signature;
  /** Position in the block. */
  index: number;
  events: CompressionEvent[];
  /** The JSON text of the `getTransaction` result in base64 encoding, unchanged. */
  json: string;
}

/** A transaction that could not be parsed completely, stored with the reasons. */
export interface DeadLetter {
  /** Null if the signature could not be parsed either. */
  signature: Signature | null;
  index: number;
  reasons: string[];
  json: string;
}
