import { type Hash, type Signature, writeCompactU16 } from '@fresnel/domain/primitives';
import { type Call } from '../calls/call';
import { type MessageKeys } from './message-keys';

/** The forms that a transaction can have on the wire. */
export type TransactionVersion = 'legacy' | 0 | 1;

const VERSION_BIT = 0x80;
/** Bits of the configuration mask that are set, and the value of each: compute unit limit and loaded data size. */
const CONFIG_MASK = 0b1100;
const CONFIG_VALUES = [1_000_000, 65_536];

/** Everything that goes into the bytes of a transaction. */
export interface WireTransaction {
  signatures: readonly Signature[];
  recentBlockhash: Hash;
  /** Outer instructions. */
  calls: readonly Call[];
  keys: MessageKeys;
}

/** The bytes of a transaction as the network carries them. */
export function encodeTransaction(transaction: WireTransaction, version: TransactionVersion): Buffer {
  return version === 1 ? encodeVersion1(transaction) : encodeLegacyOrVersion0(transaction, version);
}

/**
 * ```
 * signatures, counted | [0x80] | header 3 | static keys, counted | recent blockhash 32 | instructions, counted
 *   [ | lookups, counted ]
 * ```
 *
 * What is in brackets belongs to version 0. Counts are compact-u16.
 */
function encodeLegacyOrVersion0({ signatures, recentBlockhash, calls, keys }: WireTransaction, version: 'legacy' | 0) {
  const instructions = calls.map((call) => [
    Buffer.of(keys.positionOf(call.program)),
    countedBytes(accountPositions(call, keys)),
    countedBytes(call.data),
  ]);
  const lookups = keys.lookups.map(({ table, writable, readonly }) => [
    table,
    countedBytes(Buffer.from(writable)),
    countedBytes(Buffer.from(readonly)),
  ]);
  return Buffer.concat([
    ...counted(signatures),
    ...(version === 0 ? [Buffer.of(VERSION_BIT)] : []),
    Buffer.from(keys.header),
    ...counted(keys.statics),
    recentBlockhash,
    ...counted(instructions.map((parts) => Buffer.concat(parts))),
    ...(version === 0 ? counted(lookups.map((parts) => Buffer.concat(parts))) : []),
  ]);
}

/**
 * ```
 * 0x81 | header 3 | config mask u32 | recent blockhash 32 | instruction count u8 | key count u8 | keys
 *   | config values u32 each | instruction headers { program u8 | account count u8 | data length u16 }
 *   | instruction payloads { accounts | data } | signatures
 * ```
 *
 * There are no lookups.
 */
function encodeVersion1({ signatures, recentBlockhash, calls, keys }: WireTransaction): Buffer {
  const headers = calls.map((call) => {
    const header = Buffer.of(keys.positionOf(call.program), call.accounts.length, 0, 0);
    header.writeUInt16LE(call.data.length, 2);
    return header;
  });
  return Buffer.concat([
    Buffer.of(VERSION_BIT | 1),
    Buffer.from(keys.header),
    ...[CONFIG_MASK].map(u32),
    recentBlockhash,
    Buffer.of(calls.length, keys.statics.length),
    ...keys.statics,
    ...CONFIG_VALUES.map(u32),
    ...headers,
    ...calls.flatMap((call) => [accountPositions(call, keys), call.data]),
    ...signatures,
  ]);
}

function accountPositions({ accounts }: Call, keys: MessageKeys): Buffer {
  return Buffer.from(accounts.map(({ key }) => keys.positionOf(key)));
}

function counted(items: readonly Buffer[]): Buffer[] {
  return [writeCompactU16(items.length), ...items];
}

function countedBytes(bytes: Buffer): Buffer {
  return Buffer.concat([writeCompactU16(bytes.length), bytes]);
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
