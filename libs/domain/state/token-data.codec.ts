import { type AccountBody } from '@fresnel/domain/events';
import { BorshReader, MalformedBytesError, type Pubkey, PUBKEY_BYTES } from '@fresnel/domain/primitives';

/** The data of a compressed token account. */
export interface TokenData {
  mint: Pubkey;
  owner: Pubkey;
  amount: bigint;
  delegate: Pubkey | null;
  state: TokenState;
  /** The encoded extensions, starting with their u32 count. */
  tlv: Buffer | null;
}

export type TokenState = 'initialized' | 'frozen';

/** Discriminators of the token account versions 1, 2 and 3. */
const TOKEN_DISCRIMINATORS = ['0200000000000000', '0000000000000003', '0000000000000004'].map((hex) =>
  Buffer.from(hex, 'hex'),
);

/** Whether an account is owned by the token program and has a token discriminator. */
export function isTokenAccount(body: AccountBody, tokenProgram: Pubkey): boolean {
  const { owner, data } = body;
  return (
    data !== null &&
    owner.equals(tokenProgram) &&
    TOKEN_DISCRIMINATORS.some((known) => known.equals(data.discriminator))
  );
}

/**
 * ```
 * mint 32 | owner 32 | amount u64 | delegate option 32 | state u8 | TLV: nothing, 00, or 01 and the extensions
 * ```
 *
 * @throws MalformedBytesError for truncated data, and for a state other than 0 and 1
 */
export function decodeTokenData(bytes: Buffer): TokenData {
  const input = new BorshReader(bytes);
  const mint = input.pubkey();
  const owner = input.pubkey();
  const amount = input.u64();
  const delegate = input.option(() => input.pubkey());
  const state = readState(input.u8());
  return { mint, owner, amount, delegate, state, tlv: readTlv(input) };
}

/** The layout of `decodeTokenData`, with a tag if there are no extensions. */
export function encodeTokenData({ mint, owner, amount, delegate, state, tlv }: TokenData): Buffer {
  const bytes = Buffer.allocUnsafe(FIXED_BYTES + (delegate?.length ?? 0) + (tlv?.length ?? 0));
  bytes.set(mint);
  bytes.set(owner, mint.length);
  let at = bytes.writeBigUInt64LE(amount, mint.length + owner.length);
  at = bytes.writeUInt8(delegate ? 1 : 0, at);
  if (delegate) bytes.set(delegate, at);
  at = bytes.writeUInt8(state === 'frozen' ? 1 : 0, at + (delegate?.length ?? 0));
  at = bytes.writeUInt8(tlv ? 1 : 0, at);
  if (tlv) bytes.set(tlv, at);
  return bytes;
}

/** All but the delegate and the extensions. */
const FIXED_BYTES = 2 * PUBKEY_BYTES + 8 + 3;

function readState(byte: number): TokenState {
  if (byte > 1) throw new MalformedBytesError(`token account state ${byte}`);
  return byte === 1 ? 'frozen' : 'initialized';
}

/** Old accounts have no tag. A tag of 1 without bytes after it means no extensions. */
function readTlv(input: BorshReader): Buffer | null {
  if (input.remaining === 0 || input.u8() !== 1) return null;
  return input.remaining > 0 ? input.rest() : null;
}
