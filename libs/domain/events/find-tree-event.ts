import { COMPRESSION_INSTRUCTIONS, startsWith } from './discriminators';
import { type Instruction, type InstructionGroup } from './instruction-groups';
import { type ProgramSet } from './program-set';
import { decodeTreeEvent, type TreeEvent } from './tree-event.codec';

/** Index of the tree among the accounts of every instruction that emits one of these events. */
const TREE_ACCOUNT = 3;

const EMITTED_BY: Record<TreeEvent['kind'], readonly Buffer[]> = {
  'leaves-nullified': [COMPRESSION_INSTRUCTIONS.nullifyLeaves, COMPRESSION_INSTRUCTIONS.migrateState],
  'addresses-inserted': [COMPRESSION_INSTRUCTIONS.updateAddressMerkleTree],
  'batch-append': [COMPRESSION_INSTRUCTIONS.batchAppend],
  'batch-nullify': [COMPRESSION_INSTRUCTIONS.batchNullify],
  'batch-address-append': [COMPRESSION_INSTRUCTIONS.batchUpdateAddressTree],
};

const EMITTERS = Object.values(EMITTED_BY).flat();

/**
 * Finds the event that the account compression instruction at `start` emits through the next instruction, a noop.
 *
 * Every program can call noop after some compression instruction. So an event is authentic only if that instruction
 * called the noop (one level deeper), emits this kind of event, and has the tree of the event as an account.
 *
 * @returns null if there is no authentic event
 * @throws MalformedBytesError if the payload of an authentic event cannot be decoded
 */
export function findTreeEvent(group: InstructionGroup, start: number, programs: ProgramSet): TreeEvent | null {
  const emitter = group[start];
  const noop = group.at(start + 1);
  if (!noop?.programId.equals(programs.noop) || !emitter.programId.equals(programs.accountCompression)) return null;
  if (!isCalledBy(noop, emitter) || !EMITTERS.some((discriminator) => startsWith(emitter.data, discriminator))) {
    return null;
  }
  const event = decodeTreeEvent(noop.data);
  if (!event || !EMITTED_BY[event.kind].some((discriminator) => startsWith(emitter.data, discriminator))) return null;
  return emitter.accounts.at(TREE_ACCOUNT)?.equals(event.tree) ? event : null;
}

/** Without stack heights, which some nodes omit, consecutive instructions count as caller and callee. */
export function isCalledBy(callee: Instruction, caller: Instruction): boolean {
  if (callee.stackHeight === null || caller.stackHeight === null) return true;
  return callee.stackHeight === caller.stackHeight + 1;
}
