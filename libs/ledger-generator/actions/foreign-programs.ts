import { keyOf, type Pubkey } from '@fresnel/domain/primitives';
import { type Call } from '../calls/call';
import { FOREIGN_PROGRAMS, GENERATED_PROGRAMS } from '../keys';
import { type TransactionDraft } from '../transaction/draft';
import { rehearseAnything } from './rehearsals';
import { type Stage } from './stage';

const REPLACEMENTS = new Map<string, Pubkey>([
  [keyOf(GENERATED_PROGRAMS.accountCompression), FOREIGN_PROGRAMS.accountCompression],
  [keyOf(GENERATED_PROGRAMS.lightSystem), FOREIGN_PROGRAMS.lightSystem],
]);

/** Events of another deployment: the same calls to programs with other ids. */
export function foreignPrograms(stage: Stage): TransactionDraft | null {
  const draft = rehearseAnything(stage);
  return draft && { ...draft, calls: draft.calls.map(abroad), events: [] };
}

function abroad(call: Call): Call {
  return {
    program: replace(call.program),
    accounts: call.accounts.map(({ key, isWritable }) => ({ key: replace(key), isWritable })),
    data: call.data,
    calls: call.calls.map(abroad),
  };
}

function replace(key: Pubkey): Pubkey {
  return REPLACEMENTS.get(keyOf(key)) ?? key;
}
