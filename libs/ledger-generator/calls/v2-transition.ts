import { type Pubkey } from '@fresnel/domain/primitives';
import { type TransitionFacts } from '../facts';
import { GENERATED_PROGRAMS, SINGLETONS } from '../keys';
import { type Call } from './call';
import { type Carriage, type ContextShare } from './carriage';
import { callInsertIntoQueues } from './insert-call';
import { KeyTable } from './key-table';
import { type PackedTransition, packTransition } from './pack-transition';
import { callTransfer, ROLLOVER_FEE } from './solana-calls';
import { systemAccounts } from './system-accounts';
import { isProofNeeded, systemData } from './system-data';

/**
 * The calls by which a transition reaches the queues.
 *
 * ```
 * [ light system         writes its part to the CPI context ]
 *   light system         executes
 *     Solana system      pays lamports in, and a fee to every tree
 *     compression        insert into queues
 * ```
 */
export function callV2Transition(facts: TransitionFacts, carriage: Carriage): Call[] {
  const table = new KeyTable();
  const packed = packTransition(facts, table);
  const { context } = carriage;
  const own = context ? dropShare(packed, context) : packed;
  const contextOutputs = packed.outputs.slice(0, context?.outputs ?? 0);
  const execution: Call = {
    program: GENERATED_PROGRAMS.lightSystem,
    accounts: systemAccounts(carriage, table.keys),
    data: systemData(own, carriage, { step: 'execute', needsProof: isProofNeeded(facts) }),
    calls: [...callPayments(facts, carriage), callInsertIntoQueues(facts, contextOutputs)],
  };
  return context ? [callContextWriter(packed, carriage, context, table.keys), execution] : [execution];
}

function callPayments(facts: TransitionFacts, { payer, lamports, isCompress }: Carriage): Call[] {
  const trees = new KeyTable();
  for (const { tree } of [...facts.newAddresses, ...facts.outputs]) trees.positionOf(tree.tree);
  for (const { account } of facts.inputs) trees.positionOf(account.tree.tree);
  const deposit = isCompress ? [callTransfer(payer, SINGLETONS.solPool, lamports)] : [];
  return [...deposit, ...trees.keys.map((tree) => callTransfer(payer, tree, ROLLOVER_FEE))];
}

/** The other program's instruction, which neither moves lamports nor proves anything. */
function callContextWriter(
  packed: PackedTransition,
  carriage: Carriage,
  context: ContextShare,
  keys: readonly Pubkey[],
): Call {
  const writing: Carriage = {
    ...carriage,
    form: 'invoke-cpi',
    invokingProgram: context.writer,
    lamports: 0n,
    isCompress: false,
  };
  const share = {
    inputs: packed.inputs.slice(0, context.inputs),
    outputs: packed.outputs.slice(0, context.outputs),
    newAddresses: [],
  };
  return {
    program: GENERATED_PROGRAMS.lightSystem,
    accounts: systemAccounts(writing, keys),
    data: systemData(share, writing, { step: 'write', needsProof: false }),
    calls: [],
  };
}

function dropShare(packed: PackedTransition, { inputs, outputs }: ContextShare): PackedTransition {
  return { ...packed, inputs: packed.inputs.slice(inputs), outputs: packed.outputs.slice(outputs) };
}
