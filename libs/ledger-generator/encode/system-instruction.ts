import { type Pubkey } from '@fresnel/domain/primitives';
import { type Leniency } from './borsh-writer';
import { type PackedAddress, type PackedInput, type PackedOutput } from './packed-account';

/** What an instruction of the light system program says, before it is written in one of its four forms. */
export interface SystemInstruction {
  /** Null when a wallet calls the program itself. */
  invokingProgram: Pubkey | null;
  /** 128 bytes; null where every input is named by index and nothing is to be proven. */
  proof: Buffer | null;
  inputs: readonly PackedInput[];
  outputs: readonly PackedOutput[];
  newAddresses: readonly PackedAddress[];
  /** Lamports that enter or leave compressed accounts; 0 for none. */
  lamports: bigint;
  isCompress: boolean;
  /** Whether the nullifiers are to commit to the transaction; the two older forms always ask for it. */
  withTransactionHash: boolean;
  cpiContext: CpiContext | null;
  /** Null: written as every client writes it. */
  leniency: Leniency | null;
}

/** `write`: leave this part in the context account. `execute`: run it together with what the context holds. */
export interface CpiContext {
  step: 'write' | 'execute';
  /** Position of the context account. */
  accountIndex: number;
}
