import { type Pubkey } from '@fresnel/domain/primitives';
import { type TransitionFacts } from '../facts';
import { GENERATED_PROGRAMS, SINGLETONS } from '../keys';
import { type Instruction } from './instruction';
import { type InstructionForm, type CpiContextPart } from './instruction-form';
import { insertIntoQueuesInstruction } from './insert-into-queues';
import { KeyTable } from './key-table';
import { type PackedTransition, packTransition } from './pack-transition';
import { transferInstruction, ROLLOVER_FEE } from './solana-instructions';
import { systemAccounts } from './system-accounts';
import { isProofNeeded, systemData } from './system-data';

/**
 * The light system instructions of the V2 format.
 *
 * ```
 * [ light system         writes its part to the CPI context ]
 *   light system         executes
 *     Solana system      pays the compressed lamports, and a fee to every tree
 *     compression        insert into queues
 * ```
 */
export function v2TransitionInstructions(facts: TransitionFacts, form: InstructionForm): Instruction[] {
  const table = new KeyTable();
  const packed = packTransition(facts, table);
  const { cpiContext } = form;
  const own = cpiContext ? withoutPart(packed, cpiContext) : packed;
  const contextOutputs = packed.outputs.slice(0, cpiContext?.outputs ?? 0);
  const execution: Instruction = {
    program: GENERATED_PROGRAMS.lightSystem,
    accounts: systemAccounts(form, table.keys),
    data: systemData(own, form, { step: 'execute', needsProof: isProofNeeded(facts) }),
    cpis: [...paymentInstructions(facts, form), insertIntoQueuesInstruction(facts, contextOutputs)],
  };
  return cpiContext ? [cpiContextWrite(packed, form, cpiContext, table.keys), execution] : [execution];
}

function paymentInstructions(facts: TransitionFacts, { payer, lamports, isCompress }: InstructionForm): Instruction[] {
  const trees = new KeyTable();
  for (const { tree } of [...facts.newAddresses, ...facts.outputs]) trees.positionOf(tree.tree);
  for (const { account } of facts.inputs) trees.positionOf(account.tree.tree);
  const deposit = isCompress ? [transferInstruction(payer, SINGLETONS.solPool, lamports)] : [];
  return [...deposit, ...trees.keys.map((tree) => transferInstruction(payer, tree, ROLLOVER_FEE))];
}

/** The instruction that writes the other program's part to the CPI context, without lamports and proof. */
function cpiContextWrite(
  packed: PackedTransition,
  form: InstructionForm,
  cpiContext: CpiContextPart,
  keys: readonly Pubkey[],
): Instruction {
  const writeForm: InstructionForm = {
    ...form,
    kind: 'invoke-cpi',
    invokingProgram: cpiContext.writer,
    lamports: 0n,
    isCompress: false,
  };
  const part = {
    inputs: packed.inputs.slice(0, cpiContext.inputs),
    outputs: packed.outputs.slice(0, cpiContext.outputs),
    newAddresses: [],
  };
  return {
    program: GENERATED_PROGRAMS.lightSystem,
    accounts: systemAccounts(writeForm, keys),
    data: systemData(part, writeForm, { step: 'write', needsProof: false }),
    cpis: [],
  };
}

function withoutPart(packed: PackedTransition, { inputs, outputs }: CpiContextPart): PackedTransition {
  return { ...packed, inputs: packed.inputs.slice(inputs), outputs: packed.outputs.slice(outputs) };
}
