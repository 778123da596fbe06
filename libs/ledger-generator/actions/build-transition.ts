import { keyOf, type Pubkey } from '@fresnel/domain/primitives';
import { type Instruction } from '../instructions/instruction';
import {
  type InstructionForm,
  type CpiContextPart,
  type Malformation,
  type SystemInstructionKind,
} from '../instructions/instruction-form';
import { v1TransitionInstruction, type EventExtras } from '../instructions/v1-transition';
import { v2TransitionInstructions } from '../instructions/v2-transition';
import { computeTransition, type RequestedOutput } from '../chain/compute-transition';
import { type TransitionFacts } from '../facts';
import { type TransactionDraft } from '../transaction/transaction-draft';
import { type TransitionPlan, netLamports } from './transition-plan';
import { type GenerationContext } from './generation-context';
import { callThroughProgram } from './call-program';

/** Deviations from the usual instructions of a plan. */
export interface BuildOptions {
  cpiContext?: CpiContextPart;
  malformation?: Malformation;
  isReadable?: boolean;
}

/** A state transition with the light system instructions that execute it. */
export interface BuiltTransition {
  facts: TransitionFacts;
  instructions: readonly Instruction[];
}

const V1_SHARE = 0.85;
const WITH_TRANSACTION_HASH_SHARE = 0.7;

/** Builds a transaction with one state transition, usually in the V1 format where all trees are V1. */
export function buildSingleTransition(context: GenerationContext, plan: TransitionPlan): TransactionDraft {
  const isV1 = isPossibleInV1(plan) && context.random.chance(V1_SHARE);
  return draftOf(context, plan, isV1 ? buildV1Transition(context, plan) : buildV2Transition(context, plan));
}

/** Wraps a built transition into a transaction. */
export function draftOf(
  context: GenerationContext,
  { payer, program }: TransitionPlan,
  { facts, instructions }: BuiltTransition,
): TransactionDraft {
  return {
    signers: [payer],
    instructions: program ? [callThroughProgram(context, program, instructions)] : instructions,
    events: [facts],
    isFailed: false,
  };
}

/** Builds a state transition in the V2 format, with a random kind of system instruction, and applies it to the chain. */
export function buildV2Transition(
  context: GenerationContext,
  plan: TransitionPlan,
  options: BuildOptions = {},
): BuiltTransition {
  const ordered = groupOutputsByTree(plan);
  const form = formOf(ordered, pickInstructionKind(context, ordered, options), context, options);
  const facts = computeTransition(context.chain, ordered, {
    slot: context.slot,
    format: 2,
    withTransactionHash: form.withTransactionHash,
    isReadable: options.isReadable ?? true,
  });
  context.apply(facts);
  return { facts, instructions: v2TransitionInstructions(facts, form) };
}

/** The V1 format reports through the noop program, without a transaction hash. */
function buildV1Transition(context: GenerationContext, plan: TransitionPlan): BuiltTransition {
  const ordered = groupOutputsByTree(plan);
  const form = formOf(ordered, plan.program ? 'invoke-cpi' : 'invoke', context, {});
  const facts = computeTransition(context.chain, ordered, {
    slot: context.slot,
    format: 1,
    withTransactionHash: false,
    isReadable: true,
  });
  context.apply(facts);
  const extras = extrasOf(context, facts);
  const instructions = [v1TransitionInstruction(facts, form, extras)];
  return { facts: { ...facts, ataOwners: extras.ataOwners ?? [] }, instructions };
}

function isPossibleInV1({ inputs, outputs, newAddresses }: TransitionPlan): boolean {
  const types = [
    ...inputs.map(({ tree }) => tree.type),
    ...outputs.map(({ tree }) => tree.info.type),
    ...newAddresses.map(({ tree }) => tree.info.type),
  ];
  return outputs.length > 0 && types.every((type) => type === 'stateV1' || type === 'addressV1');
}

/** Groups the outputs by tree, in the order in which the trees first occur: the program requires this order. */
export function groupOutputsByTree(plan: TransitionPlan): TransitionPlan {
  const byTree = new Map<string, RequestedOutput[]>();
  for (const output of plan.outputs) {
    const key = keyOf(output.tree.info.tree);
    byTree.set(key, [...(byTree.get(key) ?? []), output]);
  }
  return { ...plan, outputs: [...byTree.values()].flat() };
}

function formOf(
  plan: TransitionPlan,
  kind: SystemInstructionKind,
  { random }: GenerationContext,
  options: BuildOptions,
): InstructionForm {
  const net = netLamports(plan);
  const alwaysHasTransactionHash = kind === 'invoke' || kind === 'invoke-cpi';
  return {
    kind,
    payer: plan.payer,
    invokingProgram: plan.program,
    lamports: net < 0n ? -net : net,
    isCompress: net > 0n,
    withTransactionHash: alwaysHasTransactionHash || random.chance(WITH_TRANSACTION_HASH_SHARE),
    cpiContext: options.cpiContext ?? null,
    malformation: options.malformation ?? null,
  };
}

/**
 * `read-only` instructions require that the invoking program owns every input, `account-info` instructions that it also
 * owns every output.
 */
function pickInstructionKind(
  { random }: GenerationContext,
  { program, inputs, outputs }: TransitionPlan,
  { cpiContext }: BuildOptions,
): SystemInstructionKind {
  if (!program) return 'invoke';
  const kinds: SystemInstructionKind[] = ['invoke-cpi'];
  const own = inputs.slice(cpiContext?.inputs ?? 0);
  if (own.every(({ owner }) => owner.equals(program))) kinds.push('read-only-mode-0', 'read-only-mode-1');
  const bodies = [...own, ...outputs.map(({ body }) => body)];
  if (!cpiContext && bodies.every((body) => hasDataOf(program, body))) {
    kinds.push('account-info-mode-0', 'account-info-mode-1');
  }
  return random.pick(kinds);
}

function hasDataOf(program: Pubkey, { owner, data }: { owner: Pubkey; data: object | null }): boolean {
  return owner.equals(program) && data !== null;
}

function extrasOf({ random, actors }: GenerationContext, { outputs }: TransitionFacts): EventExtras {
  const message = random.chance(0.1) ? random.bytes(random.between(0, 40)) : null;
  if (!random.chance(0.2)) return { message, ataOwners: null };
  const selected = outputs.map((_, outputIndex) => outputIndex).filter(() => random.chance(0.5));
  return { message, ataOwners: selected.map((outputIndex) => ({ outputIndex, wallet: actors.pickWallet() })) };
}
