import { type Pubkey } from '@fresnel/domain/primitives';
import { GENERATED_PROGRAMS, SINGLETONS, SOLANA_PROGRAMS } from '../keys';
import { type AccountMeta, readonly, writable } from './instruction';
import { type InstructionForm, type SystemInstructionKind } from './instruction-form';

/** Placeholder of an absent optional account. */
const ABSENT = readonly(GENERATED_PROGRAMS.lightSystem);

const { accountCompression, noop, registeredProgramPda } = GENERATED_PROGRAMS;
const { compressionAuthority, solPool } = SINGLETONS;

/** The accounts of a light system instruction: the accounts that its kind requires, then the trees and queues. */
export function systemAccounts(form: InstructionForm, packed: readonly Pubkey[]): AccountMeta[] {
  return [...ACCOUNTS_OF_KIND[form.kind](form), ...packed.map(writable)];
}

const ACCOUNTS_OF_KIND: Record<SystemInstructionKind, (form: InstructionForm) => AccountMeta[]> = {
  invoke: nineAccounts,
  'invoke-cpi': elevenAccounts,
  'read-only-mode-0': elevenAccounts,
  'read-only-mode-1': requiredAccounts,
  'account-info-mode-0': elevenAccounts,
  'account-info-mode-1': requiredAccounts,
};

function nineAccounts(form: InstructionForm): AccountMeta[] {
  return [
    writable(form.payer),
    readonly(form.payer),
    readonly(registeredProgramPda),
    readonly(noop),
    readonly(compressionAuthority),
    readonly(accountCompression),
    poolOf(form) ?? ABSENT,
    recipientOf(form) ?? ABSENT,
    readonly(SOLANA_PROGRAMS.system),
  ];
}

function elevenAccounts(form: InstructionForm): AccountMeta[] {
  return [
    writable(form.payer),
    readonly(SINGLETONS.tokenAuthority),
    readonly(registeredProgramPda),
    readonly(noop),
    readonly(compressionAuthority),
    readonly(accountCompression),
    form.invokingProgram ? readonly(form.invokingProgram) : ABSENT,
    poolOf(form) ?? ABSENT,
    recipientOf(form) ?? ABSENT,
    readonly(SOLANA_PROGRAMS.system),
    cpiContextOf(form) ?? ABSENT,
  ];
}

function requiredAccounts(form: InstructionForm): AccountMeta[] {
  const optional = [poolOf(form), recipientOf(form), cpiContextOf(form)];
  return [
    writable(form.payer),
    readonly(SINGLETONS.tokenAuthority),
    readonly(registeredProgramPda),
    readonly(compressionAuthority),
    readonly(accountCompression),
    readonly(SOLANA_PROGRAMS.system),
    ...optional.filter((account) => account !== null),
  ];
}

function poolOf({ lamports }: InstructionForm): AccountMeta | null {
  return lamports > 0n ? writable(solPool) : null;
}

function recipientOf({ lamports, isCompress, payer }: InstructionForm): AccountMeta | null {
  return lamports > 0n && !isCompress ? writable(payer) : null;
}

function cpiContextOf({ cpiContext }: InstructionForm): AccountMeta | null {
  return cpiContext ? writable(SINGLETONS.cpiContext) : null;
}
