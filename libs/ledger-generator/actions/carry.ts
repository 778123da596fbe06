import { keyOf, type Pubkey } from '@fresnel/domain/primitives';
import { type Call } from '../calls/call';
import { type Carriage, type ContextShare, type Disorder, type SystemForm } from '../calls/carriage';
import { callV1Transition, type EventExtras } from '../calls/v1-transition';
import { callV2Transition } from '../calls/v2-transition';
import { planTransition, type RequestedOutput } from '../chain/plan-transition';
import { type TransitionFacts } from '../facts';
import { type TransactionDraft } from '../transaction/draft';
import { type Intent, lamportsFlow } from './intent';
import { type Stage } from './stage';
import { wrap } from './wrap';

/** Deviations from the way an intent is usually called. */
export interface CarryTerms {
  context?: ContextShare;
  disorder?: Disorder;
  isReadable?: boolean;
}

/** A transition together with the calls of the light system program that bring it about. */
export interface Carried {
  facts: TransitionFacts;
  calls: readonly Call[];
}

const V1_SHARE = 0.85;
const WITH_TRANSACTION_HASH_SHARE = 0.7;

/** The whole transaction for one intent, in the V1 format where that can be. */
export function carryAlone(stage: Stage, intent: Intent): TransactionDraft {
  const isV1 = isPossibleInV1(intent) && stage.random.chance(V1_SHARE);
  return draftOf(stage, intent, isV1 ? carryV1(stage, intent) : carryV2(stage, intent));
}

/** The transaction of an intent that was carried already. */
export function draftOf(stage: Stage, { payer, program }: Intent, { facts, calls }: Carried): TransactionDraft {
  return {
    signers: [payer],
    calls: program ? [wrap(stage, program, calls)] : calls,
    events: [facts],
    isFailed: false,
  };
}

/** One transition in the V2 format, in a form that suits it. */
export function carryV2(stage: Stage, intent: Intent, terms: CarryTerms = {}): Carried {
  const ordered = inTreeOrder(intent);
  const carriage = carriageOf(ordered, pickForm(stage, ordered, terms), stage, terms);
  const facts = planTransition(stage.chain, ordered, {
    slot: stage.slot,
    format: 2,
    withTransactionHash: carriage.withTransactionHash,
    isReadable: terms.isReadable ?? true,
  });
  stage.settle(facts);
  return { facts, calls: callV2Transition(facts, carriage) };
}

/** The form of the event that only V1 trees know, and no transaction hash. */
function carryV1(stage: Stage, intent: Intent): Carried {
  const ordered = inTreeOrder(intent);
  const carriage = carriageOf(ordered, intent.program ? 'invoke-cpi' : 'invoke', stage, {});
  const facts = planTransition(stage.chain, ordered, {
    slot: stage.slot,
    format: 1,
    withTransactionHash: false,
    isReadable: true,
  });
  stage.settle(facts);
  return { facts, calls: [callV1Transition(facts, carriage, extrasOf(stage, facts))] };
}

function isPossibleInV1({ inputs, outputs, newAddresses }: Intent): boolean {
  const types = [
    ...inputs.map(({ tree }) => tree.type),
    ...outputs.map(({ tree }) => tree.info.type),
    ...newAddresses.map(({ tree }) => tree.info.type),
  ];
  return outputs.length > 0 && types.every((type) => type === 'stateV1' || type === 'addressV1');
}

/** Outputs of one tree side by side, in the order in which the trees first occur. */
export function inTreeOrder(intent: Intent): Intent {
  const byTree = new Map<string, RequestedOutput[]>();
  for (const output of intent.outputs) {
    const key = keyOf(output.tree.info.tree);
    byTree.set(key, [...(byTree.get(key) ?? []), output]);
  }
  return { ...intent, outputs: [...byTree.values()].flat() };
}

function carriageOf(intent: Intent, form: SystemForm, { random }: Stage, terms: CarryTerms): Carriage {
  const flow = lamportsFlow(intent);
  const mustAsk = form === 'invoke' || form === 'invoke-cpi';
  return {
    form,
    payer: intent.payer,
    invokingProgram: intent.program,
    lamports: flow < 0n ? -flow : flow,
    isCompress: flow > 0n,
    withTransactionHash: mustAsk || random.chance(WITH_TRANSACTION_HASH_SHARE),
    context: terms.context ?? null,
    disorder: terms.disorder ?? null,
  };
}

/** The newer forms take the invoking program for the owner of every input, and one of them of every output too. */
function pickForm({ random }: Stage, { program, inputs, outputs }: Intent, { context }: CarryTerms): SystemForm {
  if (!program) return 'invoke';
  const forms: SystemForm[] = ['invoke-cpi'];
  const own = inputs.slice(context?.inputs ?? 0);
  if (own.every(({ owner }) => owner.equals(program))) forms.push('read-only-mode-0', 'read-only-mode-1');
  const bodies = [...own, ...outputs.map(({ body }) => body)];
  if (!context && bodies.every((body) => isDataOf(program, body))) {
    forms.push('account-info-mode-0', 'account-info-mode-1');
  }
  return random.pick(forms);
}

function isDataOf(program: Pubkey, { owner, data }: { owner: Pubkey; data: object | null }): boolean {
  return owner.equals(program) && data !== null;
}

function extrasOf({ random, cast }: Stage, { outputs }: TransitionFacts): EventExtras {
  const message = random.chance(0.1) ? random.bytes(random.between(0, 40)) : null;
  if (!random.chance(0.2)) return { message, ataOwners: null };
  const owned = outputs.map((_, outputIndex) => outputIndex).filter(() => random.chance(0.5));
  return { message, ataOwners: owned.map((outputIndex) => ({ outputIndex, wallet: cast.wallet() })) };
}
