import { type BorshReader } from '@fresnel/domain/primitives';
import { DISCRIMINATOR_BYTES } from './discriminators';
import { type AccountBody, type AccountData } from './events';

/** Minimum size of an account and its tree index. */
const MIN_PACKED_ACCOUNT_BYTES = 32 + 8 + 1 + 1 + 1;
const CONTEXT_BYTES = 1 + 1 + 4 + 1;
const ROOT_INDEX_BYTES = 2;

/** An output account in the encoding of events and instructions. */
export interface PackedOutput {
  body: AccountBody;
  /** Index of the tree or queue among the accounts of the event or instruction. */
  treeIndex: number;
}

/**
 * ```
 * owner 32 | lamports u64 | address option 32 | data option { discriminator 8 | bytes u32 + n | data hash 32 }
 * ```
 * The chain reads every address tag except 1 as absent.
 */
function readAccountBody(input: BorshReader): AccountBody {
  return {
    owner: input.pubkey(),
    lamports: input.u64(),
    address: input.lenientOption(() => input.hash()),
    data: input.option(() => readAccountData(input)),
  };
}

function readAccountData(input: BorshReader): AccountData {
  return { discriminator: input.fixed(DISCRIMINATOR_BYTES), bytes: input.byteVector(), dataHash: input.hash() };
}

/** Reads an account and the u8 index of its tree. */
function readPackedOutput(input: BorshReader): PackedOutput {
  return { body: readAccountBody(input), treeIndex: input.u8() };
}

export function readPackedOutputs(input: BorshReader): PackedOutput[] {
  return input.vector(MIN_PACKED_ACCOUNT_BYTES, () => readPackedOutput(input));
}

/**
 * Skips inputs of `invoke` and `invoke_cpi`: account, Merkle context, u16 root index, bool. Their hashes are in
 * `InsertIntoQueues`.
 */
export function skipLegacyInputs(input: BorshReader): void {
  const trailer = CONTEXT_BYTES + ROOT_INDEX_BYTES + 1;
  input.vector(MIN_PACKED_ACCOUNT_BYTES, () => {
    readAccountBody(input);
    input.skip(trailer);
  });
}

/**
 * Skips inputs of the two newer instructions: discriminator 8, data hash 32, context, root index u16, lamports u64,
 * address.
 */
export function skipInputs(input: BorshReader): void {
  const fixed = DISCRIMINATOR_BYTES + 32 + CONTEXT_BYTES + ROOT_INDEX_BYTES + 8;
  input.vector(fixed + 1, () => {
    input.skip(fixed);
    input.option(() => input.skip(32));
  });
}

/** Skips the input of an account info: the same without the address. */
export function skipInfoInput(input: BorshReader): void {
  input.skip(DISCRIMINATOR_BYTES + 32 + CONTEXT_BYTES + ROOT_INDEX_BYTES + 8);
}
