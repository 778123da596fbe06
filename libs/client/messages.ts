import { parseExact } from './exact-json';
import { type CompressionInfoV2, U64_MEMBERS } from './generated/methods';

/** A transaction without its accounts. Slot and index identify it. */
export interface TransactionSummary {
  /** `amended`: its slot was complete before. The index lacked this transaction, or a part of it: it replaces what the receiver has. */
  type: 'transaction' | 'amended';
  slot: number;
  /** Place in its slot. */
  index: number;
  signature: string;
  /** Unix time in seconds. */
  blockTime: number;
}

/** A transaction with all accounts that it opened and closed, also those that the filter does not match. */
export interface Transaction extends TransactionSummary, CompressionInfoV2 {}

/** All that matches up to this slot has been delivered. */
export interface SlotReached {
  type: 'slot';
  slot: number;
  blockhash: string | null;
  /** Where a later subscription continues: at most 100 characters, for `from`. */
  cursor: string;
}

/** Everything of later slots is void. What is on the chain instead follows. */
export interface Rollback {
  type: 'rollback';
  slot: number;
  blockhash: string | null;
}

/** What a subscription delivers, with or without accounts. */
export type Message<T extends TransactionSummary = Transaction> = T | SlotReached | Rollback;

/** The content of a frame of the server. */
export type Frame =
  | { kind: 'message'; message: Message }
  | { kind: 'subscribed' }
  | { kind: 'error'; code: number; message: string }
  | { kind: 'unknown' };

const TYPES = new Set(['transaction', 'amended', 'slot', 'rollback']);

/** Reads a frame, u64 values as bigint. @throws SyntaxError if it is not JSON, RangeError if it is nested too deeply */
export function readFrame(text: string): Frame {
  const frame = parseExact(text, U64_MEMBERS.compressionNotification) as {
    params?: { result?: Message };
    result?: unknown;
    error?: { code?: unknown; message?: unknown };
  } | null;
  if (!frame) return { kind: 'unknown' };
  if (frame.error) {
    const { code, message } = frame.error;
    return typeof code === 'number' && typeof message === 'string'
      ? { kind: 'error', code, message }
      : { kind: 'unknown' };
  }
  if (frame.result !== undefined) return { kind: 'subscribed' };
  const message = frame.params?.result;
  // A later server may send more types.
  return message && TYPES.has(message.type) && Number.isSafeInteger(message.slot)
    ? { kind: 'message', message }
    : { kind: 'unknown' };
}
