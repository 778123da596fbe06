import { BorshReader, MalformedBytesError } from '@fresnel/domain/primitives';
import {
  type PackedOutput,
  readPackedOutputs,
  skipInfoInput,
  skipInputs,
  skipLegacyInputs,
} from '../compressed-account.codec';
import { DISCRIMINATOR_BYTES, startsWith, SYSTEM_INSTRUCTIONS } from '../discriminators';
import { type AccountBody } from '../events';

const PROOF_BYTES = 128;
const NEW_ADDRESS_BYTES = 36;
const CPI_CONTEXT_BYTES = 3;
const MIN_INFO_BYTES = 3;

/**
 * Decodes the accounts that a light system instruction creates, in order.
 *
 * Their trees are in the insert that follows, so the accounts of this instruction are not needed.
 *
 * @param data the instruction data with the discriminator
 * @throws MalformedBytesError if it is not one of the four instructions that create accounts, or is truncated
 */
export function decodeSystemOutputs(data: Buffer): AccountBody[] {
  if (startsWith(data, SYSTEM_INSTRUCTIONS.invoke)) return readInvoke(afterLength(data)).map(toBody);
  if (startsWith(data, SYSTEM_INSTRUCTIONS.invokeCpi)) return readInvokeCpi(afterLength(data)).map(toBody);
  const input = new BorshReader(data).skip(DISCRIMINATOR_BYTES);
  if (startsWith(data, SYSTEM_INSTRUCTIONS.invokeCpiWithReadOnly)) return readWithReadOnly(input).map(toBody);
  if (startsWith(data, SYSTEM_INSTRUCTIONS.invokeCpiWithAccountInfo)) return readWithAccountInfo(input);
  throw new MalformedBytesError('not an instruction of the light system program that creates accounts');
}

/** The two older instructions have a u32 length after the discriminator. */
function afterLength(data: Buffer): BorshReader {
  return new BorshReader(data).skip(DISCRIMINATOR_BYTES + 4);
}

function toBody({ body }: PackedOutput): AccountBody {
  return body;
}

/** proof | inputs | outputs | relay fee, new addresses, lamports, direction (not needed) */
function readInvoke(input: BorshReader): PackedOutput[] {
  skipProof(input);
  skipLegacyInputs(input);
  return readPackedOutputs(input);
}

/** proof | new addresses | inputs | outputs | relay fee, lamports, direction, CPI context (not needed) */
function readInvokeCpi(input: BorshReader): PackedOutput[] {
  skipProof(input);
  skipItems(input, NEW_ADDRESS_BYTES);
  skipLegacyInputs(input);
  return readPackedOutputs(input);
}

/** header | proof | assigned new addresses | inputs | outputs | read-only addresses and accounts (not needed) */
function readWithReadOnly(input: BorshReader): PackedOutput[] {
  readHeader(input);
  skipInputs(input);
  return readPackedOutputs(input);
}

/** header | proof | assigned new addresses | account infos | read-only addresses and accounts (not needed) */
function readWithAccountInfo(input: BorshReader): AccountBody[] {
  const owner = readHeader(input);
  const outputs = input.vector(MIN_INFO_BYTES, () => {
    const address = input.option(() => input.hash());
    input.option(() => {
      skipInfoInput(input);
    });
    return input.option((): AccountBody => {
      const discriminator = input.fixed(DISCRIMINATOR_BYTES);
      const dataHash = input.hash();
      input.u8(); // output tree
      const lamports = input.u64();
      return { owner, lamports, address, data: { discriminator, bytes: input.byteVector(), dataHash } };
    });
  });
  return outputs.filter((output) => output !== null);
}

/**
 * ```
 * mode u8 | bump u8 | invoking program 32 | lamports u64 | compress, with CPI context, with tx hash: 3 x bool
 * CPI context 3 | proof option 128 | new addresses vector
 * ```
 *
 * @returns the invoking program
 */
function readHeader(input: BorshReader) {
  const invokingProgram = input.skip(2).pubkey();
  input.skip(8 + 3 + CPI_CONTEXT_BYTES);
  skipProof(input);
  skipItems(input, NEW_ADDRESS_BYTES + 2);
  return invokingProgram;
}

function skipProof(input: BorshReader): void {
  input.option(() => input.skip(PROOF_BYTES));
}

function skipItems(input: BorshReader, itemBytes: number): void {
  input.skip(input.u32() * itemBytes);
}
