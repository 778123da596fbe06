import {
  MalformedBytesError,
  parsePubkey,
  parseSignature,
  type Pubkey,
  type Signature,
  toBase58,
} from '@fresnel/domain/primitives';
import { type InstructionGroup, resolveInstruction } from './instruction-groups';
import { asArray, asObject, asString, type CompiledInstruction, parseCompiledInstruction } from './transaction-meta';

/** A successful transaction whose source knows what it executed, but has no bytes of it. */
export interface ExecutedTransaction {
  signature: Signature;
  /** In execution order. Null: the source lacks some, so that the events are unknown. */
  instructions: readonly ExecutedInstruction[] | null;
}

/** Keys and data are in base58. */
export interface ExecutedInstruction {
  programId: string;
  accounts: readonly string[];
  data: string;
  /** 1 for instructions of the message, one more for each level of CPI. */
  stackHeight: number;
}

/**
 * Writes such a transaction as JSON text. `TransactionParser` reads it like one with bytes, so it can be stored in the same place.
 * A key is written once, as in a transaction:
 *
 *     {"executed":{"signature":"…","accountKeys":["…"],"instructions":[{"programIdIndex":0,"accounts":[1],"data":"…","stackHeight":1}]}}
 */
export function writeExecutedTransaction({ signature, instructions }: ExecutedTransaction): string {
  const positions = new Map<string, number>();
  const positionOf = (key: string): number => {
    const position = positions.get(key) ?? positions.size;
    positions.set(key, position);
    return position;
  };
  const compiled = instructions?.map(({ programId, accounts, data, stackHeight }): CompiledInstruction => ({
    programIdIndex: positionOf(programId),
    accounts: accounts.map(positionOf),
    data,
    stackHeight,
  }));
  const accountKeys = [...positions.keys()];
  return JSON.stringify({ executed: { signature: toBase58(signature), accountKeys, instructions: compiled ?? null } });
}

/** @throws MalformedBytesError, MalformedTextError */
export function readExecutedSignature(executed: unknown): Signature {
  return parseSignature(asString(asObject(executed, 'executed').signature, 'signature'));
}

/** The programs and accounts that the instructions name. @throws MalformedBytesError, MalformedTextError */
export function readExecutedAccounts(executed: unknown): Pubkey[] {
  const { accountKeys } = asObject(executed, 'executed');
  return asArray(accountKeys, 'accountKeys').map((key) => parsePubkey(asString(key, 'account key')));
}

/** The instructions, one group for each instruction of the message. @throws MalformedBytesError, MalformedTextError */
export function readExecutedGroups(executed: unknown): InstructionGroup[] {
  const { instructions } = asObject(executed, 'executed');
  if (instructions === null) throw new MalformedBytesError('not all instructions');
  const accounts = readExecutedAccounts(executed);
  const groups: InstructionGroup[] = [];
  for (const value of asArray(instructions, 'instructions')) {
    const instruction = resolveInstruction(parseCompiledInstruction(value), accounts);
    if (instruction.stackHeight === 1) groups.push([instruction]);
    else if (groups.length > 0 && instruction.stackHeight !== null) groups[groups.length - 1].push(instruction);
    else throw new MalformedBytesError('an instruction without the one that called it');
  }
  return groups;
}
