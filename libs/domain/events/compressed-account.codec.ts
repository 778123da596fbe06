import { type BorshReader } from '@fresnel/domain/primitives';
import { DISCRIMINATOR_BYTES } from './discriminators';
import { type AccountBody, type AccountData } from './events';

/** Fewest bytes of an account and the tree index behind it. */
export const MIN_PACKED_ACCOUNT_BYTES = 32 + 8 + 1 + 1 + 1;
const CONTEXT_BYTES = 1 + 1 + 4 + 1;
const ROOT_INDEX_BYTES = 2;

/** An output as events and instructions carry it. */
export interface PackedOutput {
  body: AccountBody;
  /** Position of the tree or queue among the accounts that the carrier names. */
  treeIndex: number;
}

/**
 * ```
 * owner 32 | lamports u64 | address option 32 | data option { discriminator 8 | bytes u32 + n | data hash 32 }
 * ```
 * The chain takes every address tag but 1 for "absent".
 */
export function readAccountBody(input: BorshReader): AccountBody {
  return {
    owner: input.pubkey(),
    lamports: input.u64(),
    address: input.lenientOption(() => input.hash()),
    data: input.option(() => readAccountData(input)),
  };
}

export function readAccountData(input: BorshReader): AccountData {
  return { discriminator: input.fixed(DISCRIMINATOR_BYTES), bytes: input.byteVector(), dataHash: input.hash() };
}

/** An account, then a u8: the index of its tree. */
export function readPackedOutput(input: BorshReader): PackedOutput {
  return { body: readAccountBody(input), treeIndex: input.u8() };
}

export function readPackedOutputs(input: BorshReader): PackedOutput[] {
  return input.vector(MIN_PACKED_ACCOUNT_BYTES, () => readPackedOutput(input));
}

/** Inputs of `invoke` and `invoke_cpi`: an account, its Merkle context, u16 root index, bool. Their hashes come from the insert. */
export function skipLegacyInputs(input: BorshReader): void {
  const trailer = CONTEXT_BYTES + ROOT_INDEX_BYTES + 1;
  input.vector(MIN_PACKED_ACCOUNT_BYTES, () => {
    readAccountBody(input);
    input.skip(trailer);
  });
}

/** Inputs of the two newer instructions: discriminator 8, data hash 32, context, root index u16, lamports u64, address. */
export function skipInputs(input: BorshReader): void {
  const fixed = DISCRIMINATOR_BYTES + 32 + CONTEXT_BYTES + ROOT_INDEX_BYTES + 8;
  input.vector(fixed + 1, () => {
    input.skip(fixed);
    input.option(() => input.skip(32));
  });
}

/** The input inside an account info: as above, without the address. */
export function skipInfoInput(input: BorshReader): void {
  input.skip(DISCRIMINATOR_BYTES + 32 + CONTEXT_BYTES + ROOT_INDEX_BYTES + 8);
}
