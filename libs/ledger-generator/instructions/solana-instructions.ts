import { type Pubkey } from '@fresnel/domain/primitives';
import { BorshWriter } from '../encode/borsh-writer';
import { SOLANA_PROGRAMS } from '../keys';
import { type Instruction, writable } from './instruction';

const TRANSFER = 2;
const SET_COMPUTE_UNIT_LIMIT = 2;

/** Lamports that a tree charges per transition towards the rent of its successor. */
export const ROLLOVER_FEE = 300n;

/** System program transfer: instruction u32 | lamports u64 */
export function transferInstruction(from: Pubkey, to: Pubkey, lamports: bigint): Instruction {
  const data = new BorshWriter().u32(TRANSFER).u64(lamports).toBuffer();
  return { program: SOLANA_PROGRAMS.system, accounts: [writable(from), writable(to)], data, cpis: [] };
}

/** Compute budget: instruction u8 | units u32 */
export function computeUnitLimitInstruction(units: number): Instruction {
  const data = new BorshWriter().u8(SET_COMPUTE_UNIT_LIMIT).u32(units).toBuffer();
  return { program: SOLANA_PROGRAMS.computeBudget, accounts: [], data, cpis: [] };
}
