/**
 * Shapes of the answers, as they go over the wire: keys and hashes in base58, u64 as bigint, slots, leaf indices and
 * times as number. Absent values are null, never left out.
 */
export interface Answer<Value> {
  context: { slot: number };
  value: Value;
}

/** A compressed account. */
export interface AccountAnswer {
  hash: string;
  owner: string;
  lamports: bigint;
  tree: string;
  leafIndex: number;
  slotCreated: number;
  address: string | null;
  data: AccountDataAnswer | null;
  seq: bigint | null;
}

/** What a program keeps in an account. */
export interface AccountDataAnswer {
  /** The 8 bytes read as a little-endian number. */
  discriminator: bigint;
  /** Base64. */
  data: string;
  dataHash: string;
}

/** A compressed account that tells its tree and queue together. */
export interface AccountV2Answer extends Omit<AccountAnswer, 'tree'> {
  proveByIndex: boolean;
  merkleContext: { treeType: number; tree: string; queue: string; cpiContext: null; nextTreeContext: null };
}

/** What the data of a token account say. */
export interface TokenDataAnswer {
  mint: string;
  owner: string;
  amount: bigint;
  delegate: string | null;
  state: 'initialized' | 'frozen';
  /** Base64. */
  tlv: string | null;
}

/** An account that a transaction closed or opened, with its token data if it has some. */
export interface TouchedAccount<Account> {
  account: Account;
  optionalTokenData: TokenDataAnswer | null;
}

/** Nullifier and transaction hash are 32 zero bytes for accounts of V1 trees. */
export interface ClosedAccountV2Answer {
  account: AccountV2Answer;
  nullifier: string;
  txHash: string;
}

/** What the touched accounts of one holder and mint hold together. */
export interface TokenBalanceAnswer {
  owner: string;
  mint: string;
  amount: bigint;
}

/** What a transaction did to compressed accounts, in the order of its events. */
export interface CompressionInfo<Closed, Opened> {
  closedAccounts: TouchedAccount<Closed>[];
  openedAccounts: TouchedAccount<Opened>[];
  /** Left out when it would be empty. */
  preTokenBalances?: TokenBalanceAnswer[];
  /** Left out when it would be empty. */
  postTokenBalances?: TokenBalanceAnswer[];
}

/** A transaction with what it did. */
export interface TransactionAnswer<Closed, Opened> {
  /** JSON text: `{"slot":…,"transaction":[…],"meta":{…},"version":…,"blockTime":…}`. */
  transaction: string;
  compressionInfo: CompressionInfo<Closed, Opened>;
}

/** `cursor` is null on the last page, unless that page is full. */
export interface Page<Item> {
  items: Item[];
  cursor: string | null;
}

/** Which part of a list is wanted. */
export interface PageRequest {
  /** From 0 to 1000, which is the default. */
  limit?: number;
  cursor?: string;
}

/** A transaction in a list. Times are Unix seconds. */
export interface SignatureAnswer {
  signature: string;
  slot: number;
  blockTime: number;
}

/** A holder of a mint. */
export interface HolderAnswer {
  owner: string;
  balance: bigint;
}

/** Shows that nothing stands between two neighbours in an address tree. */
export interface NewAddressProof {
  address: string;
  lowerRangeAddress: string;
  higherRangeAddress: string;
  lowElementLeafIndex: number;
  nextIndex: number;
  merkleTree: string;
  /** Leaf level first. */
  proof: string[];
  root: string;
  rootSeq: bigint;
}

/** What becomes of a request for new-address proofs; one bad address spoils it for all. */
export type NewAddressProofsAnswer =
  | ({ outcome: 'proofs' } & Answer<NewAddressProof[]>)
  | { outcome: 'exists'; address: string }
  | { outcome: 'out-of-range'; address: string }
  | { outcome: 'unknown-tree'; tree: string };
