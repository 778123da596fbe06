import { COMPRESSION_INSTRUCTIONS, startsWith } from './discriminators';
import { type Instruction, type InstructionGroup } from './instruction-groups';
import { type ProgramSet } from './program-set';
import { decodeTreeEvent, type TreeEvent } from './tree-event.codec';

/** Where the tree stands among the accounts of every instruction that reports one of these events. */
const TREE_ACCOUNT = 3;

const REPORTED_BY: Record<TreeEvent['kind'], readonly Buffer[]> = {
  'leaves-nullified': [COMPRESSION_INSTRUCTIONS.nullifyLeaves, COMPRESSION_INSTRUCTIONS.migrateState],
  'addresses-inserted': [COMPRESSION_INSTRUCTIONS.updateAddressMerkleTree],
  'batch-append': [COMPRESSION_INSTRUCTIONS.batchAppend],
  'batch-nullify': [COMPRESSION_INSTRUCTIONS.batchNullify],
  'batch-address-append': [COMPRESSION_INSTRUCTIONS.batchUpdateAddressTree],
};

const REPORTERS = Object.values(REPORTED_BY).flat();

/**
 * The event that the account compression instruction at `start` reports through the noop right behind it.
 *
 * Anybody can call noop after a harmless compression instruction. So the noop must be called by that instruction (one
 * level deeper), which must be the one that makes such events, on the tree that the event names.
 *
 * @returns null when there is none, or none that is authentic
 * @throws MalformedBytesError when a reporter's own payload cannot be read
 */
export function findTreeEvent(group: InstructionGroup, start: number, programs: ProgramSet): TreeEvent | null {
  const reporter = group[start];
  const noop = group.at(start + 1);
  if (!noop?.programId.equals(programs.noop) || !reporter.programId.equals(programs.accountCompression)) return null;
  if (!isCalledBy(noop, reporter) || !REPORTERS.some((discriminator) => startsWith(reporter.data, discriminator))) {
    return null;
  }
  const event = decodeTreeEvent(noop.data);
  if (!event || !REPORTED_BY[event.kind].some((discriminator) => startsWith(reporter.data, discriminator))) return null;
  return reporter.accounts.at(TREE_ACCOUNT)?.equals(event.tree) ? event : null;
}

/** Where a node leaves stack heights out, neighbourhood must do. */
function isCalledBy(callee: Instruction, caller: Instruction): boolean {
  if (callee.stackHeight === null || caller.stackHeight === null) return true;
  return callee.stackHeight === caller.stackHeight + 1;
}
