import { BorshWriter } from './borsh-writer';
import { SYSTEM_INSTRUCTIONS } from './discriminators';
import { writeLegacyInput, writeNewAddress, writeOutput } from './packed-account';
import { type SystemInstruction } from './system-instruction';

/**
 * The light system instruction for wallets, which is not called by another program.
 *
 * ```
 * discriminator 8 | length u32 | proof option | inputs | outputs | relay fee option (none) | new addresses
 *   | lamports option | is compress bool
 * ```
 */
export function encodeInvoke(instruction: SystemInstruction): Buffer {
  const body = new BorshWriter(instruction.tagBytes ?? undefined);
  body.option(instruction.proof, (proof) => body.fixed(proof));
  body.vector(instruction.inputs, (input) => {
    writeLegacyInput(body, input);
  });
  body.vector(instruction.outputs, (output) => {
    writeOutput(body, output);
  });
  body.option(null, () => undefined);
  body.vector(instruction.newAddresses, (address) => {
    writeNewAddress(body, address);
  });
  writeLamports(body, instruction);
  return new BorshWriter().fixed(SYSTEM_INSTRUCTIONS.invoke).byteVector(body.toBuffer()).toBuffer();
}

/** lamports option | is compress bool */
export function writeLamports(writer: BorshWriter, { lamports, isCompress }: SystemInstruction): void {
  writer.option(lamports > 0n ? lamports : null, (value) => writer.u64(value)).bool(isCompress);
}
