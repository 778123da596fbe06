import { MalformedBytesError, parsePubkey, type Pubkey } from '@fresnel/domain/primitives';

/** The parts of a transaction's meta that the parser needs. */
export interface TransactionMeta {
  /** Keys from lookup tables: writable keys, then read-only keys. */
  loadedAddresses: Pubkey[];
  innerInstructions: InnerInstructions[];
}

export interface InnerInstructions {
  /** Index of the instruction of the message that called them. */
  index: number;
  instructions: CompiledInstruction[];
}

export interface CompiledInstruction {
  programIdIndex: number;
  accounts: number[];
  /** Base58. */
  data: string;
  stackHeight: number | null;
}

/** @throws MalformedBytesError unless the meta has the compiled form of `getBlock` with base64 encoding */
export function parseTransactionMeta(meta: unknown): TransactionMeta {
  const { loadedAddresses, innerInstructions } = asObject(meta, 'meta');
  return {
    loadedAddresses: parseLoadedAddresses(loadedAddresses),
    innerInstructions: asArray(innerInstructions, 'innerInstructions').map(parseInnerInstructions),
  };
}

function parseLoadedAddresses(value: unknown): Pubkey[] {
  if (value === undefined || value === null) return [];
  const { writable, readonly } = asObject(value, 'loadedAddresses');
  return [...asArray(writable ?? [], 'writable'), ...asArray(readonly ?? [], 'readonly')].map((key) =>
    parsePubkey(asString(key, 'loaded address')),
  );
}

function parseInnerInstructions(value: unknown): InnerInstructions {
  const { index, instructions } = asObject(value, 'inner instructions');
  return {
    index: asIndex(index, 'index'),
    instructions: asArray(instructions, 'instructions').map(parseCompiledInstruction),
  };
}

/** @throws MalformedBytesError */
export function parseCompiledInstruction(value: unknown): CompiledInstruction {
  const { programIdIndex, accounts, data, stackHeight } = asObject(value, 'inner instruction');
  return {
    programIdIndex: asIndex(programIdIndex, 'programIdIndex'),
    accounts: asArray(accounts, 'accounts').map((account) => asIndex(account, 'account')),
    data: asData(data),
    stackHeight: stackHeight === undefined || stackHeight === null ? null : asIndex(stackHeight, 'stackHeight'),
  };
}

export function asObject(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw notA('an object', what);
  return { ...value };
}

export function asArray(value: unknown, what: string): unknown[] {
  if (!Array.isArray(value)) throw notA('an array', what);
  return value;
}

export function asString(value: unknown, what: string): string {
  if (typeof value !== 'string') throw notA('a string', what);
  return value;
}

/** More digits than the largest data of an instruction have: base58 is decoded in the square of their number. */
const MAX_DATA_DIGITS = 16_000;

function asData(value: unknown): string {
  const data = asString(value, 'data');
  if (data.length > MAX_DATA_DIGITS) throw new MalformedBytesError(`instruction data of ${data.length} digits`);
  return data;
}

function asIndex(value: unknown, what: string): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0) throw notA('an index', what);
  return value;
}

function notA(kind: string, what: string): MalformedBytesError {
  return new MalformedBytesError(`${what} is not ${kind}`);
}
