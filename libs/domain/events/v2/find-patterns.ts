import { COMPRESSION_INSTRUCTIONS, startsWith, SYSTEM_INSTRUCTIONS, TRANSFER2 } from '../discriminators';
import { type Instruction, type InstructionGroup } from '../instruction-groups';
import { type ProgramSet, SOLANA_SYSTEM_PROGRAM } from '../program-set';

/** One call of the light system program, as positions in the group. */
export interface TransitionPattern {
  insert: number;
  /** The light system instruction that ran. */
  system: number;
  /** Transfer2 of a compress-and-close that the registry asked for. */
  transfer2: number | null;
}

type Kind = 'insert' | 'light' | 'sol' | 'token' | 'registry' | 'other';

const MIN_DATA_BYTES = 12;

/**
 * The light system calls of a group, in execution order. An insert is matched backwards with the system instruction that
 * made it:
 *
 * ```
 * [registry]  [token Transfer2]  light system  Solana system (fees, one or more)  insert into queues
 *                                 ◄──────────── nothing else may stand between ─────────────────────
 * ```
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
    if (search.pattern) patterns.push(search.pattern);
    stop = search.stop;
  }
  return patterns.reverse().filter((pattern) => isOneLevelDeeper(group[pattern.insert], group[pattern.system]));
}

function kindOf(instruction: Instruction, programs: ProgramSet & { registeredProgramPda: Buffer }): Kind {
  const { programId, data, accounts } = instruction;
  if (data.length < MIN_DATA_BYTES) return 'other';
  if (programId.equals(SOLANA_SYSTEM_PROGRAM)) return 'sol';
  if (programId.equals(programs.lightSystem)) {
    return startsWith(data, SYSTEM_INSTRUCTIONS.createCpiContext) ? 'other' : 'light';
  }
  if (programId.equals(programs.accountCompression)) {
    const isInsert = startsWith(data, COMPRESSION_INSTRUCTIONS.insertIntoQueues);
    return isInsert && accounts.length > 2 && accounts[1].equals(programs.registeredProgramPda) ? 'insert' : 'other';
  }
  if (programId.equals(programs.compressedToken)) return data[0] === TRANSFER2 ? 'token' : 'other';
  return programs.lightRegistry && programId.equals(programs.lightRegistry) ? 'registry' : 'other';
}

/** @returns the pattern that ends with the insert at `insert`, and where the search for earlier ones goes on */
function searchBackwards(kinds: Kind[], insert: number): { pattern: TransitionPattern | null; stop: number } {
  let system: number | null = null;
  let transfer2: number | null = null;
  let nearestToken: number | null = null;
  let sawTransfer = false;
  const found = () => (system === null ? null : { insert, system, transfer2 });
  for (let at = insert - 1; at >= 0; at--) {
    const kind = kinds[at];
    if (kind === 'sol') sawTransfer = true;
    else if (system === null) {
      if (kind !== 'light' || !sawTransfer) return { pattern: null, stop: at };
      system = at;
    } else if (kind === 'token') nearestToken ??= at;
    else if (kind === 'registry') transfer2 ??= nearestToken;
    else if (kind === 'insert') return { pattern: found(), stop: at };
    // Further light system instructions wrote into the CPI context; what they wrote comes out of the insert.
  }
  return { pattern: found(), stop: 0 };
}

/** The system instruction itself calls the insert. Heights may be missing. */
function isOneLevelDeeper(insert: Instruction, system: Instruction): boolean {
  if (insert.stackHeight === null || system.stackHeight === null) return true;
  return insert.stackHeight === system.stackHeight + 1;
}
