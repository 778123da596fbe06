import { ZERO_PUBKEY } from '@fresnel/domain/primitives';
import { BorshWriter } from './borsh-writer';
import { SYSTEM_INSTRUCTIONS } from './discriminators';
import { writeCpiContext } from './invoke-cpi';
import { type PackedInput, writeAssignedAddress, writeContext, writeOutput } from './packed-account';
import { type CpiContext, type SystemInstruction } from './system-instruction';

const BUMP = 255;
const NO_CONTEXT: CpiContext = { step: 'execute', accountIndex: 0 };
const NO_DATA = { discriminator: Buffer.alloc(8), dataHash: Buffer.alloc(32) };

/**
 * The compact light system instruction for programs that own all inputs.
 *
 * ```
 * discriminator 8 | header | inputs | outputs | read-only addresses (none) | read-only accounts (none)
 * ```
 *
 * @param mode 0: 11 fixed accounts with placeholders for absent ones. 1: required accounts only
 */
export function encodeInvokeCpiWithReadOnly(instruction: SystemInstruction, mode: 0 | 1): Buffer {
  const writer = new BorshWriter(instruction.tagBytes ?? undefined).fixed(SYSTEM_INSTRUCTIONS.invokeCpiWithReadOnly);
  writeHeader(writer, instruction, mode);
  writer.vector(instruction.inputs, (input) => {
    writeInput(writer, input);
  });
  writer.vector(instruction.outputs, (output) => {
    writeOutput(writer, output);
  });
  return writer.u32(0).u32(0).toBuffer();
}

/**
 * ```
 * mode u8 | bump u8 | invoking program 32 | lamports u64 | is compress bool | with CPI context bool
 *   | with transaction hash bool | CPI context 3 | proof option | new addresses
 * ```
 */
export function writeHeader(writer: BorshWriter, instruction: SystemInstruction, mode: 0 | 1): void {
  writer.u8(mode).u8(BUMP);
  writer.fixed(instruction.invokingProgram ?? ZERO_PUBKEY).u64(instruction.lamports);
  writer
    .bool(instruction.isCompress)
    .bool(instruction.cpiContext !== null)
    .bool(instruction.withTransactionHash);
  writeCpiContext(writer, instruction.cpiContext ?? NO_CONTEXT);
  writer.option(instruction.proof, (proof) => writer.fixed(proof));
  writer.vector(instruction.newAddresses, (address) => {
    writeAssignedAddress(writer, address);
  });
}

/** discriminator 8 | data hash 32 | context 7 | root index u16 | lamports u64 | address option */
function writeInput(writer: BorshWriter, { account, context, rootIndex }: PackedInput): void {
  const { discriminator, dataHash } = account.data ?? NO_DATA;
  writer.fixed(discriminator).fixed(dataHash);
  writeContext(writer, context);
  writer
    .u16(rootIndex)
    .u64(account.lamports)
    .option(account.address, (address) => writer.fixed(address));
}
