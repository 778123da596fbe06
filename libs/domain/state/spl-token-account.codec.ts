import { type Pubkey, PUBKEY_BYTES, u64ToLittleEndian } from '@fresnel/domain/primitives';
import { type TokenData } from './token-data.codec';

const NONE = Buffer.alloc(4);
const SOME = Buffer.of(1, 0, 0, 0);

/**
 * Token data in the layout of an account of the SPL token program, of 165 bytes:
 *
 * ```
 * mint 32 | owner 32 | amount u64 | delegate 4 + 32 | state u8 | native 4 + 8 | delegated amount u64 | close authority 4 + 32
 * ```
 *
 * Compressed token accounts have none of the members after the state.
 */
export function encodeSplTokenAccount({ mint, owner, amount, delegate, state }: TokenData): Buffer {
  return Buffer.concat([
    mint,
    owner,
    u64ToLittleEndian(amount),
    encodeOption(delegate),
    Buffer.of(state === 'frozen' ? 2 : 1),
    NONE,
    u64ToLittleEndian(0n),
    u64ToLittleEndian(0n),
    encodeOption(null),
  ]);
}

/** The program stores an absent value as zeros. */
function encodeOption(value: Pubkey | null): Buffer {
  return Buffer.concat([value ? SOME : NONE, value ?? Buffer.alloc(PUBKEY_BYTES)]);
}
