import { type Pubkey } from '@fresnel/domain/primitives';

/** An instruction with its CPIs. The depth in this tree is the stack height. */
export interface Instruction {
  program: Pubkey;
  accounts: readonly AccountMeta[];
  data: Buffer;
  /** Instructions that the program calls, in the order of execution. */
  cpis: readonly Instruction[];
}

/** An account of an instruction. */
export interface AccountMeta {
  key: Pubkey;
  isWritable: boolean;
}

/** An account that the instruction may write. */
export function writable(key: Pubkey): AccountMeta {
  return { key, isWritable: true };
}

/** An account that the instruction only reads. */
export function readonly(key: Pubkey): AccountMeta {
  return { key, isWritable: false };
}
