import { keyOf, type Pubkey } from '@fresnel/domain/primitives';
import { type Instruction } from '../instructions/instruction';
import { FOREIGN_PROGRAMS, GENERATED_PROGRAMS } from '../keys';
import { type TransactionDraft } from '../transaction/transaction-draft';
import { dryRunTransaction } from './dry-run';
import { type GenerationContext } from './generation-context';

const REPLACEMENTS = new Map<string, Pubkey>([
  [keyOf(GENERATED_PROGRAMS.accountCompression), FOREIGN_PROGRAMS.accountCompression],
  [keyOf(GENERATED_PROGRAMS.lightSystem), FOREIGN_PROGRAMS.lightSystem],
]);

/** Builds a transaction of another deployment: the same instructions for programs with other ids. */
export function foreignPrograms(context: GenerationContext): TransactionDraft | null {
  const draft = dryRunTransaction(context);
  return draft && { ...draft, instructions: draft.instructions.map(withForeignPrograms), events: [] };
}

function withForeignPrograms(instruction: Instruction): Instruction {
  return {
    program: replace(instruction.program),
    accounts: instruction.accounts.map(({ key, isWritable }) => ({ key: replace(key), isWritable })),
    data: instruction.data,
    cpis: instruction.cpis.map(withForeignPrograms),
  };
}

function replace(key: Pubkey): Pubkey {
  return REPLACEMENTS.get(keyOf(key)) ?? key;
}
