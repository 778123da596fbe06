import { type Pubkey } from '@fresnel/domain/primitives';
import { GENERATED_PROGRAMS, SINGLETONS, SOLANA_PROGRAMS } from '../keys';
import { type AccountMeta, readonly, writable } from './call';
import { type Carriage, type SystemForm } from './carriage';

/** Filled in where an optional account is absent. */
const ABSENT = readonly(GENERATED_PROGRAMS.lightSystem);

const { accountCompression, noop, registeredProgramPda } = GENERATED_PROGRAMS;
const { compressionAuthority, cpiContext, solPool } = SINGLETONS;

/** The accounts of a light system instruction: those that its form asks for, then the trees and queues. */
export function systemAccounts(carriage: Carriage, packed: readonly Pubkey[]): AccountMeta[] {
  return [...FIXED[carriage.form](carriage), ...packed.map(writable)];
}

const FIXED: Record<SystemForm, (carriage: Carriage) => AccountMeta[]> = {
  invoke: nineAccounts,
  'invoke-cpi': elevenAccounts,
  'read-only-mode-0': elevenAccounts,
  'read-only-mode-1': neededAccounts,
  'account-info-mode-0': elevenAccounts,
  'account-info-mode-1': neededAccounts,
};

function nineAccounts(carriage: Carriage): AccountMeta[] {
  return [
    writable(carriage.payer),
    readonly(carriage.payer),
    readonly(registeredProgramPda),
    readonly(noop),
    readonly(compressionAuthority),
    readonly(accountCompression),
    poolOf(carriage) ?? ABSENT,
    recipientOf(carriage) ?? ABSENT,
    readonly(SOLANA_PROGRAMS.system),
  ];
}

function elevenAccounts(carriage: Carriage): AccountMeta[] {
  return [
    writable(carriage.payer),
    readonly(SINGLETONS.tokenAuthority),
    readonly(registeredProgramPda),
    readonly(noop),
    readonly(compressionAuthority),
    readonly(accountCompression),
    carriage.invokingProgram ? readonly(carriage.invokingProgram) : ABSENT,
    poolOf(carriage) ?? ABSENT,
    recipientOf(carriage) ?? ABSENT,
    readonly(SOLANA_PROGRAMS.system),
    contextOf(carriage) ?? ABSENT,
  ];
}

function neededAccounts(carriage: Carriage): AccountMeta[] {
  const optional = [poolOf(carriage), recipientOf(carriage), contextOf(carriage)];
  return [
    writable(carriage.payer),
    readonly(SINGLETONS.tokenAuthority),
    readonly(registeredProgramPda),
    readonly(compressionAuthority),
    readonly(accountCompression),
    readonly(SOLANA_PROGRAMS.system),
    ...optional.filter((account) => account !== null),
  ];
}

function poolOf({ lamports }: Carriage): AccountMeta | null {
  return lamports > 0n ? writable(solPool) : null;
}

function recipientOf({ lamports, isCompress, payer }: Carriage): AccountMeta | null {
  return lamports > 0n && !isCompress ? writable(payer) : null;
}

function contextOf({ context }: Carriage): AccountMeta | null {
  return context ? writable(cpiContext) : null;
}
