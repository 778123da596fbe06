import { createHash } from 'node:crypto';
import { type AccountBody } from '@fresnel/domain/events';
import { type Pubkey, PUBKEY_BYTES, toPubkey } from '@fresnel/domain/primitives';
import { isTokenAccount } from './token-data.codec';

/** The discriminator of what stays of an account that was decompressed to a program account. Its data begin with the key. */
const DECOMPRESSED = Buffer.from('ffffffffffffff00', 'hex');

/** Data of a compressed mint: the type of the account is behind the length of an SPL token account. */
const MINT_TYPE_OFFSET = 165;
const MINT_TYPE = 1;
const MINT_PUBKEY_OFFSET = 84;

/** The public key of the Solana account that a compressed account stands for; null if it stands for none. */
export function readOnchainPubkey(body: AccountBody, tokenProgram: Pubkey): Pubkey | null {
  const { data, owner } = body;
  if (!data) return null;
  const { bytes, discriminator } = data;
  if (discriminator.equals(DECOMPRESSED)) return bytes.length >= PUBKEY_BYTES ? pubkeyAt(bytes, 0) : null;
  const isMint = owner.equals(tokenProgram) && !isTokenAccount(body, tokenProgram);
  return isMint && bytes.at(MINT_TYPE_OFFSET) === MINT_TYPE ? pubkeyAt(bytes, MINT_PUBKEY_OFFSET) : null;
}

/**
 * Whether the data are what stays of an account that was decompressed: they are the key of the account on the chain, and nothing else.
 * Every account that can be compressed has such a leaf from its creation on.
 *
 * @param data their hash is sha256 of the key with byte 0 set to 0
 */
export function isDecompressedPlaceholder({
  discriminator,
  bytes,
  dataHash,
}: {
  discriminator: bigint;
  bytes: Buffer;
  dataHash: Buffer;
}): boolean {
  if (discriminator !== DECOMPRESSED.readBigUInt64LE() || bytes.length !== PUBKEY_BYTES) return false;
  const expected = createHash('sha256').update(bytes).digest();
  return dataHash[0] === 0 && dataHash.subarray(1).equals(expected.subarray(1));
}

function pubkeyAt(bytes: Buffer, offset: number): Pubkey {
  return toPubkey(bytes.subarray(offset, offset + PUBKEY_BYTES));
}
