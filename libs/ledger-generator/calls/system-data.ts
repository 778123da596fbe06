import { encodeInvoke } from '../encode/invoke';
import { encodeInvokeCpi } from '../encode/invoke-cpi';
import { encodeInvokeCpiWithAccountInfo } from '../encode/invoke-cpi-with-account-info';
import { encodeInvokeCpiWithReadOnly } from '../encode/invoke-cpi-with-read-only';
import { type CpiContext, type SystemInstruction } from '../encode/system-instruction';
import { type TransitionFacts } from '../facts';
import { type Carriage, type SystemForm } from './carriage';
import { type PackedTransition } from './pack-transition';

const PROOF = Buffer.alloc(128, 7);

const ENCODERS: Record<SystemForm, (instruction: SystemInstruction) => Buffer> = {
  invoke: encodeInvoke,
  'invoke-cpi': encodeInvokeCpi,
  'read-only-mode-0': (instruction) => encodeInvokeCpiWithReadOnly(instruction, 0),
  'read-only-mode-1': (instruction) => encodeInvokeCpiWithReadOnly(instruction, 1),
  'account-info-mode-0': (instruction) => encodeInvokeCpiWithAccountInfo(instruction, 0),
  'account-info-mode-1': (instruction) => encodeInvokeCpiWithAccountInfo(instruction, 1),
};

/** Data of a light system instruction, in the form and with the disorder that the carriage asks for. */
export function systemData(
  packed: PackedTransition,
  carriage: Carriage,
  { step, needsProof }: { step: CpiContext['step']; needsProof: boolean },
): Buffer {
  const data = ENCODERS[carriage.form]({
    ...packed,
    invokingProgram: carriage.invokingProgram,
    proof: needsProof ? PROOF : null,
    lamports: carriage.lamports,
    isCompress: carriage.isCompress,
    withTransactionHash: carriage.withTransactionHash,
    cpiContext: carriage.context && { step, accountIndex: 0 },
    leniency: carriage.disorder?.leniency ?? null,
  });
  return disordered(data, carriage);
}

/** New addresses need a proof, and so does every input that is not named by its place in a queue. */
export function isProofNeeded({ inputs, newAddresses }: TransitionFacts): boolean {
  return newAddresses.length > 0 || inputs.some(({ rootIndex }) => rootIndex !== null);
}

function disordered(data: Buffer, { disorder }: Carriage): Buffer {
  if (!disorder) return data;
  return Buffer.concat([data.subarray(0, data.length - disorder.missingBytes), disorder.trailing]);
}
