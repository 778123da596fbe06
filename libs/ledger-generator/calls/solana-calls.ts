import { type Pubkey } from '@fresnel/domain/primitives';
import { BorshWriter } from '../encode/borsh-writer';
import { SOLANA_PROGRAMS } from '../keys';
import { type Call, writable } from './call';

const TRANSFER = 2;
const SET_COMPUTE_UNIT_LIMIT = 2;

/** What a tree charges for one account: the share of its successor's rent. */
export const ROLLOVER_FEE = 300n;

/** instruction u32 | lamports u64 */
export function callTransfer(from: Pubkey, to: Pubkey, lamports: bigint): Call {
  const data = new BorshWriter().u32(TRANSFER).u64(lamports).toBuffer();
  return { program: SOLANA_PROGRAMS.system, accounts: [writable(from), writable(to)], data, calls: [] };
}

/** instruction u8 | units u32 */
export function callComputeLimit(units: number): Call {
  const data = new BorshWriter().u8(SET_COMPUTE_UNIT_LIMIT).u32(units).toBuffer();
  return { program: SOLANA_PROGRAMS.computeBudget, accounts: [], data, calls: [] };
}
