import { type Pubkey } from '@fresnel/domain/primitives';
import { type Leniency } from '../encode/borsh-writer';

/** The forms in which the light system program is called. */
export type SystemForm =
  'invoke' | 'invoke-cpi' | 'read-only-mode-0' | 'read-only-mode-1' | 'account-info-mode-0' | 'account-info-mode-1';

/** How a transition is brought to the light system program. */
export interface Carriage {
  form: SystemForm;
  /** Pays the fees and signs. */
  payer: Pubkey;
  /** Null where the payer calls the program itself. */
  invokingProgram: Pubkey | null;
  /** Lamports that enter or leave compressed accounts; 0 for none. */
  lamports: bigint;
  isCompress: boolean;
  withTransactionHash: boolean;
  context: ContextShare | null;
  disorder: Disorder | null;
}

/** The part of a transition that another program left in the CPI context: so many of the first inputs and outputs. */
export interface ContextShare {
  writer: Pubkey;
  inputs: number;
  outputs: number;
}

/** What a hostile caller does to the system instruction. */
export interface Disorder {
  leniency: Leniency;
  /** Appended; the chain ignores what stands behind the fields. */
  trailing: Buffer;
  /** Cuts so many bytes off the end, which no reader can make up for. */
  missingBytes: number;
}
