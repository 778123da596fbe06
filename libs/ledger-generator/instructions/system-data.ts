import { encodeInvoke } from '../encode/invoke';
import { encodeInvokeCpi } from '../encode/invoke-cpi';
import { encodeInvokeCpiWithAccountInfo } from '../encode/invoke-cpi-with-account-info';
import { encodeInvokeCpiWithReadOnly } from '../encode/invoke-cpi-with-read-only';
import { type CpiContext, type SystemInstruction } from '../encode/system-instruction';
import { type TransitionFacts } from '../facts';
import { type InstructionForm, type SystemInstructionKind } from './instruction-form';
import { type PackedTransition } from './pack-transition';

const PROOF = Buffer.alloc(128, 7);

const ENCODERS: Record<SystemInstructionKind, (instruction: SystemInstruction) => Buffer> = {
  invoke: encodeInvoke,
  'invoke-cpi': encodeInvokeCpi,
  'read-only-mode-0': (instruction) => encodeInvokeCpiWithReadOnly(instruction, 0),
  'read-only-mode-1': (instruction) => encodeInvokeCpiWithReadOnly(instruction, 1),
  'account-info-mode-0': (instruction) => encodeInvokeCpiWithAccountInfo(instruction, 0),
  'account-info-mode-1': (instruction) => encodeInvokeCpiWithAccountInfo(instruction, 1),
};

/** Data of a light system instruction of the form's kind, with its malformation. */
export function systemData(
  packed: PackedTransition,
  form: InstructionForm,
  { step, needsProof }: { step: CpiContext['step']; needsProof: boolean },
): Buffer {
  const data = ENCODERS[form.kind]({
    ...packed,
    invokingProgram: form.invokingProgram,
    proof: needsProof ? PROOF : null,
    lamports: form.lamports,
    isCompress: form.isCompress,
    withTransactionHash: form.withTransactionHash,
    cpiContext: form.cpiContext && { step, accountIndex: 0 },
    tagBytes: form.malformation?.tagBytes ?? null,
  });
  return applyMalformation(data, form);
}

/** New addresses need a proof, and so does every input that is not proven by its index in the output queue. */
export function isProofNeeded({ inputs, newAddresses }: TransitionFacts): boolean {
  return newAddresses.length > 0 || inputs.some(({ rootIndex }) => rootIndex !== null);
}

function applyMalformation(data: Buffer, { malformation }: InstructionForm): Buffer {
  if (!malformation) return data;
  return Buffer.concat([data.subarray(0, data.length - malformation.missingBytes), malformation.trailingBytes]);
}
