import { keyOf, type Pubkey } from '@fresnel/domain/primitives';
import { type Instruction } from '../instructions/instruction';
import { findInTables, LOOKUP_TABLES } from './lookup-tables';
import { type TransactionDraft } from './transaction-draft';

/**
 * The accounts of a message in the order of the account indices.
 *
 * ```
 * writable signers | readonly signers | writable | readonly || loaded: writable, readonly
 * ╰──────────────────── static, in the message ───────────╯
 * ```
 */
export interface MessageKeys {
  statics: readonly Pubkey[];
  /** Numbers of required signatures, of readonly signers, and of readonly static keys that do not sign. */
  header: readonly [signatures: number, readonlySigned: number, readonlyUnsigned: number];
  lookups: readonly Lookup[];
  loaded: { writable: readonly Pubkey[]; readonly: readonly Pubkey[] };
  positionOf(key: Pubkey): number;
}

/** The entries of one lookup table that a message loads. */
export interface Lookup {
  table: Pubkey;
  writable: readonly number[];
  readonly: readonly number[];
}

interface UsedKey {
  key: Pubkey;
  isSigner: boolean;
  isWritable: boolean;
  /** Program of an outer instruction, which must be static. */
  isOuterProgram: boolean;
}

/** @param withLookups whether keys that are in a lookup table are loaded from it */
export function messageKeys(draft: TransactionDraft, withLookups: boolean): MessageKeys {
  const used = usedKeys(draft);
  const isLoaded = ({ key, isSigner, isOuterProgram }: UsedKey) =>
    withLookups && !isSigner && !isOuterProgram && findInTables(key) !== null;
  const statics = [...used.filter((key) => !isLoaded(key))].sort((a, b) => rankOf(a) - rankOf(b));
  const lookups = lookupsOf(used.filter(isLoaded));
  const loaded = { writable: keysOf(lookups, 'writable'), readonly: keysOf(lookups, 'readonly') };
  const order = [...statics.map(({ key }) => key), ...loaded.writable, ...loaded.readonly];
  return { statics: statics.map(({ key }) => key), header: headerOf(statics), lookups, loaded, ...positionsOf(order) };
}

function positionsOf(order: readonly Pubkey[]): Pick<MessageKeys, 'positionOf'> {
  const positions = new Map(order.map((key, position) => [keyOf(key), position]));
  return {
    positionOf: (key) => {
      const position = positions.get(keyOf(key));
      if (position === undefined) throw new RangeError('the message does not contain this key');
      return position;
    },
  };
}

/** The distinct keys of the draft in the order of first use. The payer is first and writable. */
function usedKeys({ signers, instructions }: TransactionDraft): UsedKey[] {
  const used = new Map<string, UsedKey>();
  const use = (key: Pubkey, change: Partial<UsedKey>) => {
    const entry = used.get(keyOf(key)) ?? { key, isSigner: false, isWritable: false, isOuterProgram: false };
    used.set(keyOf(key), { ...entry, ...change });
  };
  const useInstruction = (instruction: Instruction, isOuterProgram: boolean) => {
    for (const { key, isWritable } of instruction.accounts) use(key, isWritable ? { isWritable } : {});
    use(instruction.program, isOuterProgram ? { isOuterProgram } : {});
    for (const cpi of instruction.cpis) useInstruction(cpi, false);
  };
  signers.forEach((key, i) => {
    use(key, i === 0 ? { isSigner: true, isWritable: true } : { isSigner: true });
  });
  for (const instruction of instructions) useInstruction(instruction, true);
  return [...used.values()];
}

function rankOf({ isSigner, isWritable }: UsedKey): number {
  return (isSigner ? 0 : 2) + (isWritable ? 0 : 1);
}

function headerOf(statics: readonly UsedKey[]): MessageKeys['header'] {
  const count = (rank: number) => statics.filter((key) => rankOf(key) === rank).length;
  return [count(0) + count(1), count(1), count(3)];
}

/** One lookup for each table in use. */
function lookupsOf(loaded: readonly UsedKey[]): Lookup[] {
  const places = loaded.flatMap(({ key, isWritable }) => {
    const place = findInTables(key);
    return place ? [{ ...place, isWritable }] : [];
  });
  const lookups = LOOKUP_TABLES.map(({ key }, table) => {
    const inTable = places.filter((place) => place.table === table);
    const positions = (isWritable: boolean) =>
      inTable.filter((place) => place.isWritable === isWritable).map(({ position }) => position);
    return { table: key, writable: positions(true), readonly: positions(false) };
  });
  return lookups.filter(({ writable, readonly }) => writable.length + readonly.length > 0);
}

/** The loaded keys, table by table. */
function keysOf(lookups: readonly Lookup[], access: 'writable' | 'readonly'): Pubkey[] {
  return lookups.flatMap((lookup) => {
    const entries = LOOKUP_TABLES.find(({ key }) => key.equals(lookup.table))?.entries ?? [];
    return lookup[access].map((position) => entries[position]);
  });
}
