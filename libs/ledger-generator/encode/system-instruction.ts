import { type Pubkey } from '@fresnel/domain/primitives';
import { type TagBytes } from './borsh-writer';
import { type PackedAddress, type PackedInput, type PackedOutput } from './packed-account';

/** Content of a light system instruction, independent of its four formats. */
export interface SystemInstruction {
  /** Null when the instruction is an outer instruction. */
  invokingProgram: Pubkey | null;
  /** 128 bytes; null when every input is proven by index and there is no new address. */
  proof: Buffer | null;
  inputs: readonly PackedInput[];
  outputs: readonly PackedOutput[];
  newAddresses: readonly PackedAddress[];
  /** Lamports that are compressed or decompressed; 0 for none. */
  lamports: bigint;
  isCompress: boolean;
  /** Whether nullifiers commit to the transaction; always the case in the two older formats. */
  withTransactionHash: boolean;
  cpiContext: CpiContext | null;
  /** Null for the canonical encoding. */
  tagBytes: TagBytes | null;
}

/** `write`: store this part in the context account. `execute`: execute it together with the stored part. */
export interface CpiContext {
  step: 'write' | 'execute';
  /** Position of the context account. */
  accountIndex: number;
}
