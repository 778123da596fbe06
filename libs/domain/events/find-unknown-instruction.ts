import { toBase58 } from '@fresnel/domain/primitives';
import { COMPRESSION_INSTRUCTIONS, DISCRIMINATOR_BYTES, startsWith } from './discriminators';
import { isCalledBy } from './find-tree-event';
import { callerOf, type InstructionGroup } from './instruction-groups';
import { type ProgramSet } from './program-set';
import { decodeTreeEvent } from './tree-event.codec';

const KNOWN: readonly Buffer[] = Object.values(COMPRESSION_INSTRUCTIONS);

/**
 * Says what an instruction has changed that this version does not know: the program was upgraded. Nobody can forge one,
 * because a transaction with an instruction that the program does not know fails.
 *
 * @param at position of the instruction in the group
 * @returns null for any other instruction, and for one that changes no tree, like those of administrators
 * @throws MalformedBytesError if its event cannot be decoded
 */
export function findUnknownChange(group: InstructionGroup, at: number, programs: ProgramSet): string | null {
  const { programId, data } = group[at];
  if (!programId.equals(programs.accountCompression) || KNOWN.some((known) => startsWith(data, known))) return null;
  const change = findTreeChange(group, at, programs) ?? findTransition(group, at, programs);
  const name = data.toString('hex', 0, DISCRIMINATOR_BYTES);
  return change && `unknown-instruction: ${name} of the account compression program ${change}`;
}

/** An event of a tree that the instruction names. Its position among the accounts is not known. */
function findTreeChange(group: InstructionGroup, at: number, { noop }: ProgramSet): string | null {
  const callee = group.at(at + 1);
  if (!callee?.programId.equals(noop) || !isCalledBy(callee, group[at])) return null;
  const event = decodeTreeEvent(callee.data);
  if (!event || !group[at].accounts.some((account) => account.equals(event.tree))) return null;
  return `emits ${event.kind} for tree ${toBase58(event.tree)}`;
}

/** A call that the light system program signs: it creates or consumes accounts. */
function findTransition(group: InstructionGroup, at: number, programs: ProgramSet): string | null {
  const { registeredProgramPda, lightSystem } = programs;
  if (!registeredProgramPda || !group[at].accounts.some((account) => account.equals(registeredProgramPda))) return null;
  const caller = callerOf(group, at);
  const isSigned =
    caller === undefined
      ? group.slice(0, at).some(({ programId }) => programId.equals(lightSystem))
      : caller?.programId.equals(lightSystem);
  return isSigned ? 'is called by the light system program' : null;
}
