import { MalformedBytesError, messageOf } from '@fresnel/domain/primitives';
import { type AccountBody, type TransitionEvent } from '../events';
import { type InstructionGroup } from '../instruction-groups';
import { type TransitionPattern } from './find-patterns';
import { decodeInsertIntoQueues, type InsertIntoQueues } from './insert-into-queues.codec';
import { decodeSystemOutputs } from './system-instruction.codec';
import { readAtaOwners } from './transfer2.codec';

/** An event, and the reason why a part of it could not be parsed. */
export interface BuiltTransition {
  event: TransitionEvent;
  problem: string | null;
}

/**
 * Builds a V2 transition. The insert contains leaves, inputs, addresses and sequence numbers; the system instruction
 * contains the bodies of created accounts. If only the system instruction is missing or cannot be parsed, the event has no
 * bodies: a missing leaf would make every later batch of its tree fail.
 *
 * @throws MalformedBytesError if the insert cannot be parsed
 */
export function buildTransition(group: InstructionGroup, pattern: TransitionPattern): BuiltTransition {
  const insert = decodeInsertIntoQueues(group[pattern.insert]);
  const { bodies, problem } = readBodies(pattern.system === null ? null : group[pattern.system].data, insert);
  const ataOwners = pattern.transfer2 === null ? null : readAtaOwners(group[pattern.transfer2]);
  return {
    problem,
    event: {
      kind: 'transition',
      format: 2,
      inputs: insert.inputs,
      outputs: insert.leaves.map((leaf, position) => ({
        ...leaf,
        body: bodies[position],
        // The token instruction numbers its own outputs. Outputs of the CPI context precede them.
        ataOwner: ataOwners?.get(position - insert.cpiContextOutputs.length) ?? null,
      })),
      newAddresses: insert.newAddresses,
      sequenceNumbers: insert.outputSequences,
    },
  };
}

function readBodies(
  systemData: Buffer | null,
  insert: InsertIntoQueues,
): { bodies: (AccountBody | null)[]; problem: string | null } {
  const fromContext = insert.cpiContextOutputs.map(({ body }) => body);
  const fill = (known: AccountBody[]) => insert.leaves.map((_, position) => known.at(position) ?? null);
  if (systemData === null)
    return { bodies: fill(fromContext), problem: 'no light system instruction called the insert' };
  try {
    const bodies = [...fromContext, ...decodeSystemOutputs(systemData)];
    if (bodies.length === insert.leaves.length) return { bodies, problem: null };
    const problem = `${insert.leaves.length} leaves for ${bodies.length} accounts`;
    return { bodies: insert.leaves.map(() => null), problem };
  } catch (error) {
    if (!(error instanceof MalformedBytesError)) throw error;
    return { bodies: fill(fromContext), problem: `light system instruction: ${messageOf(error)}` };
  }
}
