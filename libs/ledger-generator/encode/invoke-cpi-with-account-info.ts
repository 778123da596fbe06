import { type Hash, ZERO_HASH } from '@fresnel/domain/primitives';
import { type AccountData } from '../facts';
import { BorshWriter } from './borsh-writer';
import { SYSTEM_INSTRUCTIONS } from './discriminators';
import { writeHeader } from './invoke-cpi-with-read-only';
import { type PackedInput, type PackedOutput, writeContext } from './packed-account';
import { type SystemInstruction } from './system-instruction';

/** An account before and after the transition: created accounts have no input, closed ones no output. */
interface AccountInfo {
  address: Hash | null;
  input: PackedInput | null;
  output: PackedOutput | null;
}

const EMPTY_DATA: AccountData = { discriminator: Buffer.alloc(8), dataHash: ZERO_HASH, bytes: Buffer.alloc(0) };

/**
 * The light system instruction that lists each account with input and output. Every output must have data, and the
 * invoking program must own all accounts.
 *
 * ```
 * discriminator 8 | header | account infos | read-only addresses (none) | read-only accounts (none)
 * ```
 */
export function encodeInvokeCpiWithAccountInfo(instruction: SystemInstruction, mode: 0 | 1): Buffer {
  const writer = new BorshWriter(instruction.tagBytes ?? undefined).fixed(SYSTEM_INSTRUCTIONS.invokeCpiWithAccountInfo);
  writeHeader(writer, instruction, mode);
  writer.vector(accountInfosOf(instruction), (info) => {
    writeInfo(writer, info);
  });
  return writer.u32(0).u32(0).toBuffer();
}

/** One entry per account if all accounts are updated; otherwise the inputs first, then the outputs. */
function accountInfosOf({ inputs, outputs }: SystemInstruction): AccountInfo[] {
  if (inputs.length === outputs.length && inputs.every((input, i) => isUpdated(input, outputs[i]))) {
    return inputs.map((input, i) => ({ address: input.account.address, input, output: outputs[i] }));
  }
  return [
    ...inputs.map((input) => ({ address: input.account.address, input, output: null })),
    ...outputs.map((output) => ({ address: output.account.address, input: null, output })),
  ];
}

function isUpdated(input: PackedInput, output: PackedOutput): boolean {
  const [before, after] = [input.account.address, output.account.address];
  return before === null || after === null ? before === after : before.equals(after);
}

/**
 * ```
 * address option
 *   | input option  { discriminator 8 | data hash 32 | context 7 | root index u16 | lamports u64 }
 *   | output option { discriminator 8 | data hash 32 | tree u8 | lamports u64 | bytes vector }
 * ```
 */
function writeInfo(writer: BorshWriter, { address, input, output }: AccountInfo): void {
  writer.option(address, (bytes) => writer.fixed(bytes));
  writer.option(input, ({ account, context, rootIndex }) => {
    writeDataHash(writer, account.data ?? EMPTY_DATA);
    writeContext(writer, context);
    writer.u16(rootIndex).u64(account.lamports);
  });
  writer.option(output, ({ account, treeIndex }) => {
    const data = account.data ?? EMPTY_DATA;
    writeDataHash(writer, data);
    writer.u8(treeIndex).u64(account.lamports).byteVector(data.bytes);
  });
}

function writeDataHash(writer: BorshWriter, { discriminator, dataHash }: Omit<AccountData, 'bytes'>): void {
  writer.fixed(discriminator).fixed(dataHash);
}
