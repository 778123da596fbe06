import { type Pubkey } from '@fresnel/domain/primitives';
import { type Call, readonly, writable } from '../calls/call';
import { callTransfer, ROLLOVER_FEE } from '../calls/solana-calls';
import { callNoop } from '../calls/noop-call';
import { COMPRESSION_INSTRUCTIONS } from '../encode/discriminators';
import { type EventFacts } from '../facts';
import { GENERATED_PROGRAMS, SINGLETONS } from '../keys';
import { type TransactionDraft } from '../transaction/draft';
import { rehearseAnything } from './rehearsals';
import { type Stage } from './stage';
import { callProgram } from './wrap';

const ATTEMPTS = 8;
const DISGUISED_SHARE = 0.3;

/** The instruction that truly reports an event of the kind. */
const REPORTERS: Record<EventFacts['kind'], Buffer> = {
  transition: COMPRESSION_INSTRUCTIONS.appendLeaves,
  'leaves-nullified': COMPRESSION_INSTRUCTIONS.nullifyLeaves,
  'addresses-inserted': COMPRESSION_INSTRUCTIONS.updateAddressTree,
  'outputs-appended': COMPRESSION_INSTRUCTIONS.batchAppend,
  'inputs-nullified': COMPRESSION_INSTRUCTIONS.batchNullify,
  'addresses-appended': COMPRESSION_INSTRUCTIONS.batchUpdateAddressTree,
};

/**
 * A payload that the programs would have sent, sent by somebody else right behind a harmless compression instruction.
 *
 * ```
 * attacker
 *   compression         harmless; sometimes it looks like the instruction that reports such events
 * [ Solana system       where a transition is forged ]
 *   noop                the payload; a genuine one is called by compression, or by the light system
 * ```
 */
export function forgeEvent(stage: Stage): TransactionDraft | null {
  const payload = findPayload(stage);
  if (!payload) return null;
  const { event, data } = payload;
  const payer = stage.cast.wallet();
  const between = event.kind === 'transition' ? [callTransfer(payer, SINGLETONS.solPool, ROLLOVER_FEE)] : [];
  const calls = [callHarmless(stage, event), ...between, callNoop(data)];
  return { signers: [payer], calls: [callProgram(stage, stage.cast.newKey(), calls)], events: [], isFailed: false };
}

/** The first event of a transaction that could happen, if it is one that is told through the noop program. */
function findPayload(stage: Stage): { event: EventFacts; data: Buffer } | null {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const draft = rehearseAnything(stage);
    const noop = draft && findNoop(draft.calls);
    if (noop && draft.events.length > 0) return { event: draft.events[0], data: noop.data };
  }
  return null;
}

function findNoop(calls: readonly Call[]): Call | null {
  for (const call of calls) {
    const found = call.program.equals(GENERATED_PROGRAMS.noop) ? call : findNoop(call.calls);
    if (found) return found;
  }
  return null;
}

/** Its fourth account is the tree, as in an instruction that reports tree events. */
function callHarmless({ random, cast }: Stage, event: EventFacts): Call {
  const name = random.chance(DISGUISED_SHARE) ? REPORTERS[event.kind] : random.bytes(8);
  const others = [cast.newKey(), cast.newKey(), cast.newKey()];
  return {
    program: GENERATED_PROGRAMS.accountCompression,
    accounts: [...others.map(readonly), writable(treeOf(event))],
    data: Buffer.concat([name, random.bytes(24)]),
    calls: [],
  };
}

function treeOf(event: EventFacts): Pubkey {
  return event.kind === 'transition' ? event.outputs[0].tree.tree : event.tree;
}
