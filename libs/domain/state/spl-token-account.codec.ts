import { MAX_U64, type Pubkey, toPubkey } from '@fresnel/domain/primitives';
import { type TokenData, type TokenState } from './token-data.codec';

/** What Fresnel knows of an account of the SPL token program. */
export interface SplTokenAccount {
  mint: Pubkey;
  owner: Pubkey;
  amount: bigint;
  delegate: Pubkey | null;
  /** The part of the amount that the delegate may transfer; 0 without a delegate. */
  delegatedAmount: bigint;
  state: TokenState;
}

const LENGTH = 165;
/** Offsets in the layout of `encodeSplTokenAccount`. */
const AT = { mint: 0, owner: 32, amount: 64, hasDelegate: 72, delegate: 76, state: 108, delegatedAmount: 121 };
/** Another state byte belongs to an account that is not initialized. */
const STATES = new Map<number, TokenState>([
  [1, 'initialized'],
  [2, 'frozen'],
]);

/**
 * Writes the layout of an account of the SPL token program, of 165 bytes:
 *
 * ```
 * mint 32 | owner 32 | amount u64 | delegate 4 + 32 | state u8 | native 4 + 8 | delegated amount u64 | close authority 4 + 32
 * ```
 *
 * @param base an account whose other members are kept; without one, they are absent
 */
export function encodeSplTokenAccount(account: SplTokenAccount, base: Buffer = Buffer.alloc(LENGTH)): Buffer {
  const { mint, owner, amount, delegate, delegatedAmount, state } = account;
  const bytes = Buffer.from(base);
  bytes.set(mint, AT.mint);
  bytes.set(owner, AT.owner);
  bytes.writeBigUInt64LE(amount, AT.amount);
  bytes.writeUInt32LE(delegate ? 1 : 0, AT.hasDelegate);
  bytes.fill(0, AT.delegate, AT.state);
  if (delegate) bytes.set(delegate, AT.delegate);
  bytes.writeUInt8(state === 'frozen' ? 2 : 1, AT.state);
  bytes.writeBigUInt64LE(delegatedAmount, AT.delegatedAmount);
  return bytes;
}

/** Null if the bytes are not those of an initialized token account. */
export function decodeSplTokenAccount(bytes: Buffer): SplTokenAccount | null {
  const state = bytes.length === LENGTH ? STATES.get(bytes.readUInt8(AT.state)) : undefined;
  if (!state) return null;
  const keyAt = (offset: number) => toPubkey(bytes.subarray(offset, offset + 32));
  const delegate = bytes.readUInt32LE(AT.hasDelegate) === 1 ? keyAt(AT.delegate) : null;
  return {
    mint: keyAt(AT.mint),
    owner: keyAt(AT.owner),
    amount: bytes.readBigUInt64LE(AT.amount),
    delegate,
    delegatedAmount: delegate ? bytes.readBigUInt64LE(AT.delegatedAmount) : 0n,
    state,
  };
}

/** Extension types whose data have a known length. */
const COMPRESSED_ONLY = 31;
const EXTENSION_BYTES = new Map([
  [29, 8],
  [30, 1],
  [COMPRESSED_ONLY, 17],
]);
/** Types of variable length: what follows them cannot be read. */
const VARIABLE_EXTENSIONS = [19, 32];

/**
 * A compressed token account as an account of the SPL token program. Its delegated amount is that of its extension `CompressedOnly`;
 * without one, the delegate may transfer all.
 */
export function toSplTokenAccount({ mint, owner, amount, delegate, state, tlv }: TokenData): SplTokenAccount {
  const delegatedAmount = delegate ? minimum(readDelegatedAmount(tlv) ?? amount, amount) : 0n;
  return { mint, owner, amount, delegate, delegatedAmount, state };
}

/** Reads `count u32 | (type u8 | data)…`. @returns null if there is no such extension, or one before it has an unknown length */
function readDelegatedAmount(tlv: Buffer | null): bigint | null {
  if (!tlv || tlv.length < 4) return null;
  let offset = 4;
  for (let left = tlv.readUInt32LE(0); left > 0 && offset < tlv.length; left--) {
    const type = tlv[offset++];
    if (type === COMPRESSED_ONLY) return offset + 8 <= tlv.length ? tlv.readBigUInt64LE(offset) : null;
    if (VARIABLE_EXTENSIONS.includes(type) || type > VARIABLE_EXTENSIONS[1]) return null;
    offset += EXTENSION_BYTES.get(type) ?? 0;
  }
  return null;
}

/**
 * Adds up accounts of one mint that belong to one key. The first one decides on the owner, the first one with a delegate on the
 * delegate, whose delegated amounts are added; the sum is frozen if any of them is.
 *
 * @param parts at least one, the account on the chain first, then the newest first
 */
export function sumTokenAccounts(parts: readonly SplTokenAccount[]): SplTokenAccount {
  const [{ mint, owner }] = parts;
  const amount = sum(parts.map((part) => part.amount));
  const delegate = parts.find((part) => part.delegate)?.delegate ?? null;
  const delegated = parts.filter((part) => delegate && part.delegate?.equals(delegate));
  const delegatedAmount = minimum(sum(delegated.map((part) => minimum(part.delegatedAmount, part.amount))), amount);
  const state = parts.some((part) => part.state === 'frozen') ? 'frozen' : 'initialized';
  return { mint, owner, amount, delegate, delegatedAmount, state };
}

function sum(amounts: readonly bigint[]): bigint {
  return minimum(
    amounts.reduce((total, amount) => total + amount, 0n),
    MAX_U64,
  );
}

function minimum(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}
