import { COMPRESSION_INSTRUCTIONS, startsWith } from '../discriminators';
import { callerOf, type InstructionGroup } from '../instruction-groups';
import { type ProgramSet, SOLANA_SYSTEM_PROGRAM } from '../program-set';

/** Instructions with which the V1 light system program changes trees and queues before it emits the event. */
const V1_CHANGES = [
  COMPRESSION_INSTRUCTIONS.appendLeavesToMerkleTrees,
  COMPRESSION_INSTRUCTIONS.insertIntoNullifierQueues,
  COMPRESSION_INSTRUCTIONS.insertAddresses,
];
const MAX_FEE_TRANSFERS = 2;

/**
 * Finds the noop instruction with the event of the V1 transition that starts at `start`.
 * ```
 * light system program            height h-1
 *   account compression  start    height h     append leaves, or insert nullifiers if no account is created
 *   Solana system        1 or 2   height h+1   rollover fees
 *   noop                          height h     the event
 * ```
 *
 * Every program can call noop, so the light system program must be the caller of both.
 */
export function findV1Event(group: InstructionGroup, start: number, programs: ProgramSet): number | null {
  if (!group[start].programId.equals(programs.accountCompression)) return null;
  if (!V1_CHANGES.some((discriminator) => startsWith(group[start].data, discriminator))) return null;
  const end = skipTransfers(group, start + 1);
  const transfers = end - start - 1;
  if (transfers < 1 || transfers > MAX_FEE_TRANSFERS || end >= group.length) return null;
  if (!group[end].programId.equals(programs.noop)) return null;
  return isReportedBySystemProgram(group, start, end, programs) ? end : null;
}

function skipTransfers(group: InstructionGroup, from: number): number {
  let at = from;
  while (at < group.length && group[at].programId.equals(SOLANA_SYSTEM_PROGRAM)) at++;
  return at;
}

function isReportedBySystemProgram(group: InstructionGroup, start: number, end: number, programs: ProgramSet): boolean {
  if (group[start].stackHeight !== group[end].stackHeight) return false;
  const caller = callerOf(group, end);
  if (caller !== undefined) return caller?.programId.equals(programs.lightSystem) ?? false;
  return group.slice(0, start).some(({ programId }) => programId.equals(programs.lightSystem));
}
