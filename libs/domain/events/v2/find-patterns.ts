import { COMPRESSION_INSTRUCTIONS, startsWith, SYSTEM_INSTRUCTIONS, TRANSFER2 } from '../discriminators';
import { type Instruction, type InstructionGroup } from '../instruction-groups';
import { type ProgramSet, SOLANA_SYSTEM_PROGRAM } from '../program-set';

/** One call of the light system program. All values are positions in the group. */
export interface TransitionPattern {
  insert: number;
  /** The light system instruction that called the insert; null if it was not found. */
  system: number | null;
  /** Transfer2 of a compress-and-close by the registry. */
  transfer2: number | null;
}

type Kind = 'insert' | 'light' | 'sol' | 'token' | 'registry' | 'other';

const MIN_DATA_BYTES = 12;
/** The pattern of an insert whose caller was not found. */
const NO_CALLER = { system: null, transfer2: null };

/**
 * Finds the light system calls of a group, in execution order. From each insert it searches backwards for the system
 * instruction that called it:
 *
 * ```
 * [registry]  [token Transfer2]  light system  Solana system (fees, one or more)  insert into queues
 *                                 ◄──────────── no other instruction in between ─────────────────────
 * ```
 *
 * An insert without such an instruction is returned too. It succeeds only when the light system program signs it, so what it
 * inserted is in the trees and queues.
 */
export function findTransitionPatterns(group: InstructionGroup, programs: ProgramSet): TransitionPattern[] {
  const { registeredProgramPda } = programs;
  if (!registeredProgramPda) return [];
  const kinds = group.map((instruction) => kindOf(instruction, { ...programs, registeredProgramPda }));
  const patterns: TransitionPattern[] = [];
  let stop = Infinity;
  for (let at = kinds.length - 1; at >= 0; at--) {
    if (at > stop || kinds[at] !== 'insert') continue;
    const search = searchBackwards(kinds, at);
    const { system, transfer2 } = search.pattern ?? NO_CALLER;
    const isCaller = system !== null && isOneLevelDeeper(group[at], group[system]);
    patterns.push({ insert: at, ...(isCaller ? { system, transfer2 } : NO_CALLER) });
    stop = search.stop;
  }
  return patterns.reverse();
}

function kindOf(instruction: Instruction, programs: ProgramSet & { registeredProgramPda: Buffer }): Kind {
  const { programId, data, accounts } = instruction;
  if (data.length < MIN_DATA_BYTES) return 'other';
  if (programId.equals(SOLANA_SYSTEM_PROGRAM)) return 'sol';
  if (programId.equals(programs.lightSystem)) {
    return startsWith(data, SYSTEM_INSTRUCTIONS.initCpiContextAccount) ? 'other' : 'light';
  }
  if (programId.equals(programs.accountCompression)) {
    const isInsert = startsWith(data, COMPRESSION_INSTRUCTIONS.insertIntoQueues);
    return isInsert && accounts.length > 2 && accounts[1].equals(programs.registeredProgramPda) ? 'insert' : 'other';
  }
  if (programId.equals(programs.compressedToken)) return data[0] === TRANSFER2 ? 'token' : 'other';
  return programs.lightRegistry && programId.equals(programs.lightRegistry) ? 'registry' : 'other';
}

/** @returns the pattern of the insert at `insert`, and the position where the search for earlier patterns continues */
function searchBackwards(kinds: Kind[], insert: number): { pattern: TransitionPattern | null; stop: number } {
  let system: number | null = null;
  let transfer2: number | null = null;
  let nearestToken: number | null = null;
  let hasTransfer = false;
  const found = () => (system === null ? null : { insert, system, transfer2 });
  for (let at = insert - 1; at >= 0; at--) {
    const kind = kinds[at];
    if (kind === 'sol') hasTransfer = true;
    else if (system === null) {
      if (kind !== 'light' || !hasTransfer) return { pattern: null, stop: at };
      system = at;
    } else if (kind === 'token') nearestToken ??= at;
    else if (kind === 'registry') transfer2 ??= nearestToken;
    else if (kind === 'insert') return { pattern: found(), stop: at };
    // Earlier light system instructions wrote to the CPI context. Their outputs are in the insert.
  }
  return { pattern: found(), stop: 0 };
}

/** Whether the system instruction called the insert. True without stack heights, which may be missing. */
function isOneLevelDeeper(insert: Instruction, system: Instruction): boolean {
  if (insert.stackHeight === null || system.stackHeight === null) return true;
  return insert.stackHeight === system.stackHeight + 1;
}
