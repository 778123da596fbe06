import { decodeBase58, MalformedBytesError, type Pubkey } from '@fresnel/domain/primitives';
import { type DecodedTransaction } from './transaction.codec';
import { type CompiledInstruction, type TransactionMeta } from './transaction-meta';

/** One executed instruction. */
export interface Instruction {
  programId: Pubkey;
  accounts: Pubkey[];
  data: Buffer;
  /** 1 for instructions of the message, one more for each level of CPI; null if the node omitted it. */
  stackHeight: number | null;
}

/** An instruction of the message and its inner instructions, in execution order. */
export type InstructionGroup = Instruction[];

/**
 * Groups the instructions of a transaction: one group for each instruction of the message.
 *
 * @throws MalformedBytesError for an index that is out of range
 */
export function groupInstructions(transaction: DecodedTransaction, meta: TransactionMeta): InstructionGroup[] {
  const accounts = [...transaction.staticKeys, ...meta.loadedAddresses];
  const groups = transaction.instructions.map(({ programIndex, accountIndices, data }): InstructionGroup => {
    const programId = accountAt(accounts, programIndex);
    return [{ programId, accounts: Array.from(accountIndices, (at) => accountAt(accounts, at)), data, stackHeight: 1 }];
  });
  for (const { index, instructions } of meta.innerInstructions) {
    if (index >= groups.length) throw new MalformedBytesError(`inner instructions of instruction ${index}`);
    for (const instruction of instructions) groups[index].push(resolveInstruction(instruction, accounts));
  }
  return groups;
}

/** Replaces indices by the accounts of the transaction. @throws MalformedBytesError for an index that is out of range */
export function resolveInstruction(compiled: CompiledInstruction, accounts: readonly Pubkey[]): Instruction {
  return {
    programId: accountAt(accounts, compiled.programIdIndex),
    accounts: compiled.accounts.map((at) => accountAt(accounts, at)),
    data: decodeBase58(compiled.data),
    stackHeight: compiled.stackHeight,
  };
}

function accountAt(accounts: readonly Pubkey[], index: number): Pubkey {
  if (index >= accounts.length) throw new MalformedBytesError(`account ${index} of ${accounts.length}`);
  return accounts[index];
}

/**
 * Finds the instruction that called the one at `position`.
 *
 * @returns null for an instruction of the message; undefined if stack heights are missing
 */
export function callerOf(group: InstructionGroup, position: number): Instruction | null | undefined {
  const height = group[position].stackHeight;
  if (height === null) return undefined;
  for (let at = position - 1; at >= 0; at--) {
    const candidate = group[at].stackHeight;
    if (candidate === null) return undefined;
    if (candidate === height - 1) return group[at];
  }
  return null;
}
