/** A compressed account. Hashes and keys are base58. */
export interface CompressedAccount {
  hash: string;
  address: string | null;
  /** `data` is base64. */
  data: { discriminator: bigint; data: string; dataHash: string } | null;
  owner: string;
  lamports: bigint;
  leafIndex: number;
  /** Null in V2 trees. */
  seq: bigint | null;
  slotCreated: number;
  proveByIndex: boolean;
  merkleContext: MerkleContext;
}

export interface TreeContext {
  /** 1 = StateV1, 2 = AddressV1, 3 = StateV2, 4 = AddressV2 */
  treeType: number;
  tree: string;
  queue: string;
  cpiContext: string | null;
}

export interface MerkleContext extends TreeContext {
  nextTreeContext: TreeContext | null;
}

export interface TokenData {
  mint: string;
  owner: string;
  amount: bigint;
  delegate: string | null;
  state: 'initialized' | 'frozen';
  /** Base64. */
  tlv: string | null;
}

export interface TokenBalance {
  owner: string;
  mint: string;
  amount: bigint;
}

/** A transaction without its accounts. Slot and index identify it. */
export interface TransactionSummary {
  /** `amended`: its slot was complete before. The index lacked this transaction, or a part of it: it replaces what the receiver has. */
  type: 'transaction' | 'amended';
  slot: number;
  /** Place in its slot. */
  index: number;
  signature: string;
  /** Unix time in seconds. */
  blockTime: number;
}

/** A transaction with all accounts that it opened and closed, also those that the filter does not match. */
export interface Transaction extends TransactionSummary {
  openedAccounts: { account: CompressedAccount; optionalTokenData: TokenData | null }[];
  closedAccounts: {
    account: { account: CompressedAccount; nullifier: string; txHash: string };
    optionalTokenData: TokenData | null;
  }[];
  /** Sums of the closed accounts by owner and mint. */
  preTokenBalances?: TokenBalance[];
  /** Sums of the opened accounts by owner and mint. */
  postTokenBalances?: TokenBalance[];
}

/** All that matches up to this slot has been delivered. */
export interface SlotReached {
  type: 'slot';
  slot: number;
  blockhash: string | null;
  /** Where a later subscription continues: at most 100 characters, for `from`. */
  cursor: string;
}

/** Everything of later slots is void. What is on the chain instead follows. */
export interface Rollback {
  type: 'rollback';
  slot: number;
  blockhash: string | null;
}

/** What a subscription delivers, with or without accounts. */
export type Message<T extends TransactionSummary = Transaction> = T | SlotReached | Rollback;

/** The content of a frame of the server. */
export type Frame =
  | { kind: 'message'; message: Message }
  | { kind: 'subscribed' }
  | { kind: 'error'; code: number; message: string }
  | { kind: 'unknown' };

/** Values of these members are u64. The pattern cannot match inside a string, where quotes are escaped. */
const U64_MEMBERS = /"(lamports|amount|discriminator|seq)"\s*:\s*(\d+)/g;
const U64_NAMES = new Set(['lamports', 'amount', 'discriminator', 'seq']);
const TYPES = new Set(['transaction', 'amended', 'slot', 'rollback']);

/** Reads a frame, u64 values as bigint. @throws SyntaxError if it is not JSON, RangeError if it is nested too deeply */
export function readFrame(text: string): Frame {
  const exact = text.replace(U64_MEMBERS, '"$1":"$2"');
  const frame = JSON.parse(exact, (name, value: unknown) =>
    U64_NAMES.has(name) && typeof value === 'string' ? BigInt(value) : value,
  ) as { params?: { result?: Message }; result?: unknown; error?: { code?: unknown; message?: unknown } } | null;
  if (!frame) return { kind: 'unknown' };
  if (frame.error) {
    const { code, message } = frame.error;
    return typeof code === 'number' && typeof message === 'string'
      ? { kind: 'error', code, message }
      : { kind: 'unknown' };
  }
  if (frame.result !== undefined) return { kind: 'subscribed' };
  const message = frame.params?.result;
  // A later server may send more types.
  return message && TYPES.has(message.type) && Number.isSafeInteger(message.slot)
    ? { kind: 'message', message }
    : { kind: 'unknown' };
}
