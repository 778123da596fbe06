import { type Pubkey } from '@fresnel/domain/primitives';
import { BorshWriter } from '../encode/borsh-writer';
import { COMPRESSION_INSTRUCTIONS } from '../encode/discriminators';
import { encodePublicTransactionEvent } from '../encode/public-transaction-event';
import { type AtaOwner, type CreatedAccount, type TransitionFacts } from '../facts';
import { GENERATED_PROGRAMS, SINGLETONS, SOLANA_PROGRAMS } from '../keys';
import { type Instruction, readonly, writable } from './instruction';
import { type InstructionForm } from './instruction-form';
import { KeyTable } from './key-table';
import { noopInstruction } from './noop';
import { type PackedTransition, packTransition } from './pack-transition';
import { transferInstruction, ROLLOVER_FEE } from './solana-instructions';
import { systemAccounts } from './system-accounts';
import { isProofNeeded, systemData } from './system-data';

const ADDRESS_FEE = 392n;
const NULLIFIER_FEE = 5000n;

/** Parts of the event that do not follow from the transition. */
export interface EventExtras {
  message: Buffer | null;
  /** Null writes the event format without this field. */
  ataOwners: readonly AtaOwner[] | null;
}

/**
 * A light system instruction with the CPIs of the V1 format. All trees must be V1, and there must be an output.
 *
 * ```
 * light system
 * [ Solana system        pays the compressed lamports ]
 * [ compression          insert addresses
 *   Solana system        fee ]
 * [ compression          insert nullifiers
 *   Solana system        fee ]
 *   compression          append leaves
 *     Solana system      rollover fee, one for each output tree
 *   noop                 the event
 * ```
 */
export function v1TransitionInstruction(
  facts: TransitionFacts,
  form: InstructionForm,
  extras: EventExtras,
): Instruction {
  const table = new KeyTable();
  const packed = packTransition(facts, table);
  const { payer, lamports, isCompress } = form;
  return {
    program: GENERATED_PROGRAMS.lightSystem,
    accounts: systemAccounts(form, table.keys),
    data: systemData(packed, form, { step: 'execute', needsProof: isProofNeeded(facts) }),
    cpis: [
      ...(isCompress ? [transferInstruction(payer, SINGLETONS.solPool, lamports)] : []),
      ...insertAddressesInstructions(facts, payer),
      ...insertNullifiersInstructions(facts, payer),
      appendLeavesInstruction(facts, payer),
      noopInstruction(
        encodePublicTransactionEvent({ ...eventOf(facts, packed, form), pubkeys: table.keys, ...extras }),
      ),
    ],
  };
}

function eventOf(
  { inputs, outputs }: TransitionFacts,
  packed: PackedTransition,
  { lamports, isCompress }: InstructionForm,
) {
  return {
    inputHashes: inputs.map(({ account }) => account.hash),
    outputHashes: outputs.map(({ hash }) => hash),
    outputs: packed.outputs,
    leafIndices: outputs.map(({ leafIndex }) => leafIndex),
    sequenceNumbers: firstOfEachTree(outputs).map(({ tree, seq }) => ({ tree: tree.tree, seq: seq ?? 0n })),
    isCompress,
    lamports: lamports > 0n ? lamports : null,
  };
}

function insertAddressesInstructions({ newAddresses }: TransitionFacts, payer: Pubkey): Instruction[] {
  if (newAddresses.length === 0) return [];
  const data = new BorshWriter().fixed(COMPRESSION_INSTRUCTIONS.insertAddresses);
  data.vector(newAddresses, ({ address }) => data.fixed(address));
  const { tree, queue } = newAddresses[0].tree;
  return [
    compressionInstruction(payer, [queue, tree], data.toBuffer(), []),
    transferInstruction(payer, queue, ADDRESS_FEE),
  ];
}

function insertNullifiersInstructions({ inputs }: TransitionFacts, payer: Pubkey): Instruction[] {
  if (inputs.length === 0) return [];
  const data = new BorshWriter().fixed(COMPRESSION_INSTRUCTIONS.insertIntoNullifierQueues);
  data.vector(inputs, ({ account }) => data.fixed(account.hash));
  const pairs = inputs.flatMap(({ account }) => [account.tree.queue, account.tree.tree]);
  const fee = transferInstruction(payer, inputs[0].account.tree.queue, NULLIFIER_FEE);
  return [compressionInstruction(payer, pairs, data.toBuffer(), []), fee];
}

function appendLeavesInstruction({ outputs }: TransitionFacts, payer: Pubkey): Instruction {
  const trees = new KeyTable();
  const data = new BorshWriter().fixed(COMPRESSION_INSTRUCTIONS.appendLeavesToMerkleTrees);
  data.vector(outputs, ({ tree, hash }) => data.u8(trees.positionOf(tree.tree)).fixed(hash));
  const fees = trees.keys.map((tree) => transferInstruction(payer, tree, ROLLOVER_FEE));
  return compressionInstruction(payer, trees.keys, data.toBuffer(), fees);
}

function compressionInstruction(
  payer: Pubkey,
  targets: readonly Pubkey[],
  data: Buffer,
  cpis: readonly Instruction[],
): Instruction {
  return {
    program: GENERATED_PROGRAMS.accountCompression,
    accounts: [
      writable(payer),
      readonly(SINGLETONS.compressionAuthority),
      readonly(GENERATED_PROGRAMS.registeredProgramPda),
      readonly(SOLANA_PROGRAMS.system),
      ...targets.map(writable),
    ],
    data,
    cpis,
  };
}

function firstOfEachTree(outputs: readonly CreatedAccount[]): CreatedAccount[] {
  return outputs.filter(({ tree }, i) => outputs.findIndex((other) => other.tree.tree.equals(tree.tree)) === i);
}
