import { BorshReader, MalformedBytesError, type Pubkey } from '@fresnel/domain/primitives';
import { type Instruction } from '../instruction-groups';

/** Number of accounts before those that indices refer to. */
const FIXED_ACCOUNTS = 7;
const PROOF_BYTES = 128;
const COMPRESSION_BYTES = 16;
const INPUT_BYTES = 1 + 8 + 1 + 1 + 1 + 1 + 7 + 2;
const OUTPUT_BYTES = 1 + 8 + 1 + 1 + 1 + 1;

const COMPRESSED_ONLY = 31;
/** Extensions whose body this decoder does not support. */
const UNREADABLE_EXTENSIONS = [19, 32];

interface CompressedOnly {
  isAta: boolean;
  ownerIndex: number;
}

/**
 * Reads the wallets of the associated token accounts of a compress-and-close, by the index of the output in the token
 * instruction.
 *
 * @returns an empty map if the instruction cannot be parsed: the token accounts are complete without it
 */
export function readAtaOwners(transfer2: Instruction): Map<number, Pubkey> {
  try {
    return ownersOf(readOutputExtensions(new BorshReader(transfer2.data).skip(1)), transfer2.accounts);
  } catch (error) {
    if (error instanceof MalformedBytesError) return new Map();
    throw error;
  }
}

function ownersOf(extensions: CompressedOnly[][], accounts: Pubkey[]): Map<number, Pubkey> {
  const owners = new Map<number, Pubkey>();
  extensions.forEach((entries, output) => {
    for (const { isAta, ownerIndex } of entries) {
      const owner = accounts.at(FIXED_ACCOUNTS + ownerIndex);
      if (isAta && owner) owners.set(output, owner);
    }
  });
  return owners;
}

/**
 * ```
 * 2 x bool | 3 account indices u8 | max top up u16 | CPI context option 2 | compressions option vector 16 | proof option
 * inputs vector 22 | outputs vector 13 | lamports in, out: 2 x option vector u64
 * extensions in, out: 2 x option vector (an entry a token account) of vectors of extensions
 * ```
 */
function readOutputExtensions(input: BorshReader): CompressedOnly[][] {
  input.skip(2 + 3 + 2);
  input.option(() => input.skip(2));
  input.option(() => skipVector(input, COMPRESSION_BYTES));
  input.option(() => input.skip(PROOF_BYTES));
  skipVector(input, INPUT_BYTES);
  skipVector(input, OUTPUT_BYTES);
  input.option(() => skipVector(input, 8));
  input.option(() => skipVector(input, 8));
  const readAll = () => input.vector(4, () => readExtensions(input));
  input.option(readAll);
  return input.option(readAll) ?? [];
}

function skipVector(input: BorshReader, itemBytes: number): BorshReader {
  return input.skip(input.u32() * itemBytes);
}

function readExtensions(input: BorshReader): CompressedOnly[] {
  const extensions = input.vector(1, () => {
    const type = input.u8();
    if (UNREADABLE_EXTENSIONS.includes(type)) throw new MalformedBytesError(`extension ${type}`);
    return type === COMPRESSED_ONLY ? readCompressedOnly(input) : null;
  });
  return extensions.filter((extension) => extension !== null);
}

/** delegated amount u64 | withheld fee u64 | frozen bool | compression u8 | is ATA bool | bump u8 | owner u8 */
function readCompressedOnly(input: BorshReader): CompressedOnly {
  input.skip(8 + 8 + 1 + 1);
  const isAta = input.bool();
  return { isAta, ownerIndex: input.skip(1).u8() };
}
