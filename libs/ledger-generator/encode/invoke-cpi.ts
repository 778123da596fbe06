import { BorshWriter } from './borsh-writer';
import { SYSTEM_INSTRUCTIONS } from './discriminators';
import { writeLamports } from './invoke';
import { writeLegacyInput, writeNewAddress, writeOutput } from './packed-account';
import { type CpiContext, type SystemInstruction } from './system-instruction';

/**
 * The light system instruction for CPIs, in its oldest format.
 *
 * ```
 * discriminator 8 | length u32 | proof option | new addresses | inputs | outputs | relay fee option (none)
 *   | lamports option | is compress bool | CPI context option
 * ```
 */
export function encodeInvokeCpi(instruction: SystemInstruction): Buffer {
  const body = new BorshWriter(instruction.tagBytes ?? undefined);
  body.option(instruction.proof, (proof) => body.fixed(proof));
  body.vector(instruction.newAddresses, (address) => {
    writeNewAddress(body, address);
  });
  body.vector(instruction.inputs, (input) => {
    writeLegacyInput(body, input);
  });
  body.vector(instruction.outputs, (output) => {
    writeOutput(body, output);
  });
  body.option(null, () => undefined);
  writeLamports(body, instruction);
  body.option(instruction.cpiContext, (context) => {
    writeCpiContext(body, context);
  });
  return new BorshWriter().fixed(SYSTEM_INSTRUCTIONS.invokeCpi).byteVector(body.toBuffer()).toBuffer();
}

/** set context bool | first set context bool | account index u8 */
export function writeCpiContext(writer: BorshWriter, { step, accountIndex }: CpiContext): void {
  writer
    .bool(false)
    .bool(step === 'write')
    .u8(accountIndex);
}
