import { type Hash, type Signature } from '@fresnel/domain/primitives';
import { type Instruction } from '../instructions/instruction';
import { type MessageKeys } from './message-keys';

/** Versions of the transaction format. */
export type TransactionVersion = 'legacy' | 0 | 1;

const VERSION_BIT = 0x80;
/** Configuration fields that are present, and their values: compute unit limit and loaded accounts data size. */
const CONFIG_MASK = 0b1100;
const CONFIG_VALUES = [1_000_000, 65_536];

/** The content of an encoded transaction. */
export interface WireTransaction {
  signatures: readonly Signature[];
  recentBlockhash: Hash;
  /** Outer instructions. */
  instructions: readonly Instruction[];
  keys: MessageKeys;
}

/** Encodes a transaction in the wire format. */
export function encodeTransaction(transaction: WireTransaction, version: TransactionVersion): Buffer {
  return version === 1 ? encodeVersion1(transaction) : encodeLegacyOrVersion0(transaction, version);
}

/**
 * ```
 * signatures, counted | [0x80] | header 3 | static keys, counted | recent blockhash 32 | instructions, counted
 *   [ | lookups, counted ]
 * ```
 *
 * The parts in brackets exist in version 0 only. Counts are compact-u16.
 */
function encodeLegacyOrVersion0(
  { signatures, recentBlockhash, instructions, keys }: WireTransaction,
  version: 'legacy' | 0,
) {
  const compiled = instructions.map((instruction) => [
    Buffer.of(keys.positionOf(instruction.program)),
    countedBytes(accountPositions(instruction, keys)),
    countedBytes(instruction.data),
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
    ...counted(compiled.map((parts) => Buffer.concat(parts))),
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
 * Version 1 has no address lookups.
 */
function encodeVersion1({ signatures, recentBlockhash, instructions, keys }: WireTransaction): Buffer {
  const headers = instructions.map(({ program, accounts, data }) => {
    const header = Buffer.of(keys.positionOf(program), accounts.length, 0, 0);
    header.writeUInt16LE(data.length, 2);
    return header;
  });
  return Buffer.concat([
    Buffer.of(VERSION_BIT | 1),
    Buffer.from(keys.header),
    ...[CONFIG_MASK].map(u32),
    recentBlockhash,
    Buffer.of(instructions.length, keys.statics.length),
    ...keys.statics,
    ...CONFIG_VALUES.map(u32),
    ...headers,
    ...instructions.flatMap((instruction) => [accountPositions(instruction, keys), instruction.data]),
    ...signatures,
  ]);
}

function accountPositions({ accounts }: Instruction, keys: MessageKeys): Buffer {
  return Buffer.from(accounts.map(({ key }) => keys.positionOf(key)));
}

function counted(items: readonly Buffer[]): Buffer[] {
  return [compactU16(items.length), ...items];
}

function countedBytes(bytes: Buffer): Buffer {
  return Buffer.concat([compactU16(bytes.length), bytes]);
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** Solana's length of a list: 7 bits a byte, lowest bits first; a set high bit means that another byte follows. */
function compactU16(value: number): Buffer {
  const bytes: number[] = [];
  for (; value > 0x7f; value >>= 7) bytes.push((value & 0x7f) | 0x80);
  return Buffer.from([...bytes, value]);
}
