import { type Pubkey } from '@fresnel/domain/primitives';
import { type TagBytes } from '../encode/borsh-writer';

/** Instructions of the light system program that execute a state transition. The mode selects the account list. */
export type SystemInstructionKind =
  'invoke' | 'invoke-cpi' | 'read-only-mode-0' | 'read-only-mode-1' | 'account-info-mode-0' | 'account-info-mode-1';

/** How a state transition is written as an instruction of the light system program. */
export interface InstructionForm {
  kind: SystemInstructionKind;
  /** Signs and pays the fees. */
  payer: Pubkey;
  /** Null when the instruction is an outer instruction. */
  invokingProgram: Pubkey | null;
  /** Lamports that are compressed or decompressed; 0 for none. */
  lamports: bigint;
  isCompress: boolean;
  withTransactionHash: boolean;
  cpiContext: CpiContextPart | null;
  malformation: Malformation | null;
}

/** The part of a transition that another program writes to the CPI context: numbers of leading inputs and outputs. */
export interface CpiContextPart {
  writer: Pubkey;
  inputs: number;
  outputs: number;
}

/** Deviations of the system instruction from the canonical encoding. */
export interface Malformation {
  tagBytes: TagBytes;
  /** Appended to the data; the program ignores bytes after the last field. */
  trailingBytes: Buffer;
  /** Number of bytes that are cut off the end, so that the data cannot be parsed. */
  missingBytes: number;
}
