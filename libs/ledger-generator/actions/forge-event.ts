import { type Pubkey } from '@fresnel/domain/primitives';
import { type Instruction, readonly, writable } from '../instructions/instruction';
import { transferInstruction, ROLLOVER_FEE } from '../instructions/solana-instructions';
import { noopInstruction } from '../instructions/noop';
import { COMPRESSION_INSTRUCTIONS } from '../encode/discriminators';
import { type EventFacts } from '../facts';
import { GENERATED_PROGRAMS, SINGLETONS } from '../keys';
import { type TransactionDraft } from '../transaction/transaction-draft';
import { dryRunTransaction } from './dry-run';
import { type GenerationContext } from './generation-context';
import { callProgram } from './call-program';

const ATTEMPTS = 8;
const REPORTER_SHARE = 0.3;

/** Discriminator of the compression instruction that reports each kind of event. */
const REPORTERS: Record<EventFacts['kind'], Buffer> = {
  transition: COMPRESSION_INSTRUCTIONS.appendLeavesToMerkleTrees,
  'leaves-nullified': COMPRESSION_INSTRUCTIONS.nullifyLeaves,
  'leaf-migrated': COMPRESSION_INSTRUCTIONS.migrateState,
  'addresses-inserted': COMPRESSION_INSTRUCTIONS.updateAddressMerkleTree,
  'outputs-appended': COMPRESSION_INSTRUCTIONS.batchAppend,
  'inputs-nullified': COMPRESSION_INSTRUCTIONS.batchNullify,
  'addresses-appended': COMPRESSION_INSTRUCTIONS.batchUpdateAddressTree,
};

/**
 * Builds a transaction with a forged event: another program sends an event payload to the noop program, right after an
 * unrelated instruction of the compression program.
 *
 * ```
 * attacker
 *   compression         unrelated; sometimes with the discriminator of an instruction that reports such events
 * [ Solana system       only for a forged transition ]
 *   noop                the payload; an authentic one is sent by the compression or the light system program
 * ```
 */
export function forgeEvent(context: GenerationContext): TransactionDraft | null {
  const payload = findPayload(context);
  if (!payload) return null;
  const { event, data } = payload;
  const payer = context.actors.pickWallet();
  const between = event.kind === 'transition' ? [transferInstruction(payer, SINGLETONS.solPool, ROLLOVER_FEE)] : [];
  const cpis = [unrelatedInstruction(context, event), ...between, noopInstruction(data)];
  const attack = callProgram(context, context.actors.newKey(), cpis);
  return { signers: [payer], instructions: [attack], events: [], isFailed: false };
}

/** The first event of a possible transaction and its payload, if it is reported through the noop program. */
function findPayload(context: GenerationContext): { event: EventFacts; data: Buffer } | null {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const draft = dryRunTransaction(context);
    const noop = draft && findNoop(draft.instructions);
    if (noop && draft.events.length > 0) return { event: draft.events[0], data: noop.data };
  }
  return null;
}

function findNoop(instructions: readonly Instruction[]): Instruction | null {
  for (const instruction of instructions) {
    const isNoop = instruction.program.equals(GENERATED_PROGRAMS.noop);
    const found = isNoop ? instruction : findNoop(instruction.cpis);
    if (found) return found;
  }
  return null;
}

/** Its fourth account is the tree, as in an instruction that reports tree events. The data have no effect. */
function unrelatedInstruction({ random, actors }: GenerationContext, event: EventFacts): Instruction {
  const discriminator = random.chance(REPORTER_SHARE) ? REPORTERS[event.kind] : random.bytes(8);
  const others = [actors.newKey(), actors.newKey(), actors.newKey()];
  return {
    program: GENERATED_PROGRAMS.accountCompression,
    accounts: [...others.map(readonly), writable(treeOf(event))],
    data: Buffer.concat([discriminator, random.bytes(24)]),
    cpis: [],
  };
}

function treeOf(event: EventFacts): Pubkey {
  return event.kind === 'transition' ? event.outputs[0].tree.tree : event.tree;
}
