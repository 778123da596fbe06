import { type Pubkey } from '@fresnel/domain/primitives';

/** A program call with the calls that it makes itself. The depth in this tree is the stack height. */
export interface Call {
  program: Pubkey;
  accounts: readonly AccountMeta[];
  data: Buffer;
  /** In the order in which they are made. */
  calls: readonly Call[];
}

/** An account that a call names, and whether the call may write to it. */
export interface AccountMeta {
  key: Pubkey;
  isWritable: boolean;
}

/** An account that is written to. */
export function writable(key: Pubkey): AccountMeta {
  return { key, isWritable: true };
}

/** An account that is only read or named. */
export function readonly(key: Pubkey): AccountMeta {
  return { key, isWritable: false };
}
