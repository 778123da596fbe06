import { type BlockLink } from '@fresnel/domain/chain';
import { type CompressionEvent } from '@fresnel/domain/events';
import { type Signature } from '@fresnel/domain/primitives';
import { type TreeInfo } from '@fresnel/domain/trees';

/** Everything that one slot says about compressed state. Slots without any have it too, empty. */
export interface SlotEvents extends BlockLink {
  /** Unix seconds. */
  blockTime: number;
  blockHeight: number | null;
  /** The first slot that this index holds: nothing comes before it. */
  isFirst: boolean;
  /** In the block's order; only those with events. */
  transactions: TransactionEvents[];
  /** Every tree that the events name, and those that became known with this slot. Complete, so that slots need no order. */
  trees: TreeInfo[];
  deadLetters: DeadLetter[];
}

export interface TransactionEvents {
  signature: Signature;
  /** Position in the block. */
  index: number;
  events: CompressionEvent[];
  /** The `getTransaction` result in base64 encoding, JSON text, digit for digit as the node sent it. */
  json: string;
}

/** A transaction that could not be read in whole. Nothing of it is lost: it waits for a person. */
export interface DeadLetter {
  /** Null when not even that could be read. */
  signature: Signature | null;
  index: number;
  reasons: string[];
  json: string;
}
