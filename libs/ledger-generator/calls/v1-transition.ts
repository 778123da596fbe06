import { type Pubkey } from '@fresnel/domain/primitives';
import { BorshWriter } from '../encode/borsh-writer';
import { COMPRESSION_INSTRUCTIONS } from '../encode/discriminators';
import { type AtaOwner, encodePublicTransactionEvent } from '../encode/public-transaction-event';
import { type CreatedAccount, type TransitionFacts } from '../facts';
import { GENERATED_PROGRAMS, SINGLETONS, SOLANA_PROGRAMS } from '../keys';
import { type Call, readonly, writable } from './call';
import { type Carriage } from './carriage';
import { KeyTable } from './key-table';
import { callNoop } from './noop-call';
import { type PackedTransition, packTransition } from './pack-transition';
import { callTransfer, ROLLOVER_FEE } from './solana-calls';
import { systemAccounts } from './system-accounts';
import { isProofNeeded, systemData } from './system-data';

const ADDRESS_FEE = 392n;
const NULLIFIER_FEE = 5000n;

/** Parts of the event that no account follows from. */
export interface EventExtras {
  message: Buffer | null;
  /** Null writes the form of the event that does not have them. */
  ataOwners: readonly AtaOwner[] | null;
}

/**
 * The calls by which a transition reached V1 trees before there were queues for everything. All trees are V1, and
 * there is an output.
 *
 * ```
 * light system
 * [ Solana system        pays lamports in ]
 * [ compression          insert addresses
 *   Solana system        fee ]
 * [ compression          insert nullifiers
 *   Solana system        fee ]
 *   compression          append leaves
 *     Solana system      rollover fee, one for each output tree
 *   noop                 the event
 * ```
 */
export function callV1Transition(facts: TransitionFacts, carriage: Carriage, extras: EventExtras): Call {
  const table = new KeyTable();
  const packed = packTransition(facts, table);
  const { payer, lamports, isCompress } = carriage;
  return {
    program: GENERATED_PROGRAMS.lightSystem,
    accounts: systemAccounts(carriage, table.keys),
    data: systemData(packed, carriage, { step: 'execute', needsProof: isProofNeeded(facts) }),
    calls: [
      ...(isCompress ? [callTransfer(payer, SINGLETONS.solPool, lamports)] : []),
      ...callInsertAddresses(facts, payer),
      ...callInsertNullifiers(facts, payer),
      callAppendLeaves(facts, payer),
      callNoop(encodePublicTransactionEvent({ ...eventOf(facts, packed, carriage), pubkeys: table.keys, ...extras })),
    ],
  };
}

function eventOf({ inputs, outputs }: TransitionFacts, packed: PackedTransition, { lamports, isCompress }: Carriage) {
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

function callInsertAddresses({ newAddresses }: TransitionFacts, payer: Pubkey): Call[] {
  if (newAddresses.length === 0) return [];
  const data = new BorshWriter().fixed(COMPRESSION_INSTRUCTIONS.insertAddresses);
  data.vector(newAddresses, ({ address }) => data.fixed(address));
  const { tree, queue } = newAddresses[0].tree;
  return [callCompression(payer, [queue, tree], data.toBuffer(), []), callTransfer(payer, queue, ADDRESS_FEE)];
}

function callInsertNullifiers({ inputs }: TransitionFacts, payer: Pubkey): Call[] {
  if (inputs.length === 0) return [];
  const data = new BorshWriter().fixed(COMPRESSION_INSTRUCTIONS.insertNullifiers);
  data.vector(inputs, ({ account }) => data.fixed(account.hash));
  const pairs = inputs.flatMap(({ account }) => [account.tree.queue, account.tree.tree]);
  const fee = callTransfer(payer, inputs[0].account.tree.queue, NULLIFIER_FEE);
  return [callCompression(payer, pairs, data.toBuffer(), []), fee];
}

function callAppendLeaves({ outputs }: TransitionFacts, payer: Pubkey): Call {
  const trees = new KeyTable();
  const data = new BorshWriter().fixed(COMPRESSION_INSTRUCTIONS.appendLeaves);
  data.vector(outputs, ({ tree, hash }) => data.u8(trees.positionOf(tree.tree)).fixed(hash));
  const fees = trees.keys.map((tree) => callTransfer(payer, tree, ROLLOVER_FEE));
  return callCompression(payer, trees.keys, data.toBuffer(), fees);
}

function callCompression(payer: Pubkey, targets: readonly Pubkey[], data: Buffer, calls: readonly Call[]): Call {
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
    calls,
  };
}

function firstOfEachTree(outputs: readonly CreatedAccount[]): CreatedAccount[] {
  return outputs.filter(({ tree }, i) => outputs.findIndex((other) => other.tree.tree.equals(tree.tree)) === i);
}
