import { type Hash } from '@fresnel/domain/primitives';

/**
 * An RPC result with its context slot. In all results keys and hashes are base58, u64 values are bigints, and slots, leaf
 * indices and times are numbers. Absent values are null, not omitted.
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

/** The data of an account. */
export interface AccountDataAnswer {
  /** The 8 bytes read as a little-endian number. */
  discriminator: bigint;
  /** Base64. */
  data: string;
  dataHash: string;
}

/** A compressed account of a V2 method, with tree and queue in `merkleContext`. */
export interface AccountV2Answer extends Omit<AccountAnswer, 'tree'> {
  proveByIndex: boolean;
  merkleContext: MerkleContextAnswer;
}

/** A tree and its queue. */
export interface MerkleContextAnswer {
  treeType: number;
  tree: string;
  queue: string;
  cpiContext: null;
  nextTreeContext: null;
}

/** An account in the form of a Solana account. */
export interface SolanaAccountAnswer {
  lamports: bigint;
  /** Base64. */
  data: string;
  owner: string;
  executable: boolean;
  rentEpoch: bigint;
  space: number;
}

/** The accounts that belong to a key. */
export interface AccountInterfaceAnswer {
  key: string;
  account: SolanaAccountAnswer;
  cold: AccountV2Answer[];
}

/** Decoded token data. */
export interface TokenDataAnswer {
  mint: string;
  owner: string;
  amount: bigint;
  delegate: string | null;
  state: 'initialized' | 'frozen';
  /** Base64. */
  tlv: string | null;
}

/** An account that a transaction closed or opened, with its token data if it is a token account. */
export interface AccountWithTokenData<Account> {
  account: Account;
  optionalTokenData: TokenDataAnswer | null;
}

/** A token account in a list. */
export interface TokenAccountAnswer<Account> {
  account: Account;
  tokenData: TokenDataAnswer;
}

/** Tokens of one mint. */
export interface MintBalanceAnswer {
  mint: string;
  balance: bigint;
}

/** A consumed account of a V2 method. Nullifier and transaction hash are 32 zero bytes for accounts of V1 trees. */
export interface ClosedAccountV2Answer {
  account: AccountV2Answer;
  nullifier: string;
  txHash: string;
}

/** Sum of the amounts of one holder and mint. */
export interface TokenBalanceAnswer {
  owner: string;
  mint: string;
  amount: bigint;
}

/** The compressed accounts that a transaction closed and opened, in the order of its events. */
export interface CompressionInfo<Closed, Opened> {
  closedAccounts: AccountWithTokenData<Closed>[];
  openedAccounts: AccountWithTokenData<Opened>[];
  /** Omitted when empty. */
  preTokenBalances?: TokenBalanceAnswer[];
  /** Omitted when empty. */
  postTokenBalances?: TokenBalanceAnswer[];
}

/** A transaction with its compression info. */
export interface TransactionAnswer<Closed, Opened> {
  /** JSON text: `{"slot":…,"transaction":[…],"meta":{…},"version":…,"blockTime":…}`. */
  transaction: string;
  compressionInfo: CompressionInfo<Closed, Opened>;
}

/** A page of a list. `cursor` is null when the page has fewer items than the limit. */
export interface Page<Item> {
  items: Item[];
  cursor: string | null;
}

/** The requested page of a list. */
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

/** Proof that an address is not in an address tree: its low element with the Merkle proof. */
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

/** The Merkle path of an account. */
export interface AccountProofAnswer {
  hash: string;
  leafIndex: number;
  merkleTree: string;
  /** Leaf level first. */
  proof: string[];
  root: string;
  rootSeq: bigint;
}

/** The same in the V2 form; without a path while the account is in an output queue. */
export interface AccountProofV2Answer extends Omit<AccountProofAnswer, 'merkleTree'> {
  proveByIndex: boolean;
  treeContext: { treeType: number; tree: string; queue: string; cpiContext: null };
}

/** Outcome of a request for proofs of accounts. One account without a proof fails the whole request. */
export type AccountProofsAnswer<Proof> =
  ({ outcome: 'proofs' } & Answer<Proof[]>) | { outcome: 'refused'; hash: string };

/** Outcome of a request for new-address proofs. One invalid address fails the whole request. */
export type NewAddressProofsAnswer =
  | ({ outcome: 'proofs' } & Answer<NewAddressProof[]>)
  | { outcome: 'exists'; address: string }
  | { outcome: 'out-of-range'; address: string }
  | { outcome: 'unknown-tree'; tree: string };

/** Entries of the queues of a tree. */
export interface QueueElementsAnswer {
  context: { slot: number };
  stateQueue?: StateQueueAnswer;
  addressQueue?: AddressQueueAnswer;
}

/** A node of a tree: level * 2^56 + position from the left. */
export interface QueueNodeAnswer {
  index: bigint;
  hash: string;
}

/** The requested queues of a state tree. */
export interface StateQueueAnswer {
  nodes: QueueNodeAnswer[];
  initialRoot: string;
  rootSeq: bigint;
  outputQueue?: QueuedLeavesAnswer & { nextIndex: number };
  inputQueue?: QueuedLeavesAnswer & { txHashes: string[]; nullifiers: string[] };
}

/** What both queues of a state tree have in common. */
export interface QueuedLeavesAnswer {
  leafIndices: number[];
  accountHashes: string[];
  /** Current values. */
  leaves: string[];
  firstQueueIndex: number;
  leavesHashChains: string[];
}

/** The queue of an address tree. */
export interface AddressQueueAnswer {
  addresses: string[];
  queueIndices: number[];
  nodes?: QueueNodeAnswer[];
  lowElementIndices: number[];
  lowElementValues: string[];
  lowElementNextIndices: number[];
  lowElementNextValues: string[];
  leavesHashChains: string[];
  initialRoot: string;
  startIndex: number;
  subtrees: string[];
  rootSeq: bigint;
}

/** What a validity proof states: leaves are below roots of state trees, and addresses are not below roots of address trees. */
export interface ProofStatement {
  /** The version of all trees. */
  version: 1 | 2;
  accounts: { root: Hash; leaf: Hash }[];
  addresses: { root: Hash; address: Hash }[];
}

/** A validity proof without the proof itself. Each list has the accounts first, and then the addresses. */
export interface ValidityProofAnswer {
  roots: string[];
  rootIndices: number[];
  leafIndices: number[];
  leaves: string[];
  merkleTrees: string[];
}

/** The same in the V2 form. */
export interface ValidityProofV2Answer {
  accounts: {
    hash: string;
    root: string;
    rootIndex: { rootIndex: number; proveByIndex: boolean };
    leafIndex: number;
    merkleContext: MerkleContextAnswer;
  }[];
  addresses: { address: string; root: string; rootIndex: number; merkleContext: MerkleContextAnswer }[];
}

/**
 * Outcome of a request for a validity proof. It has a statement unless nothing is left to prove. It is refused because of the state
 * of the chain, and invalid if it is malformed or its trees have different versions.
 */
export type ValidityProofOutcome<Value> =
  | ({ outcome: 'proven'; statement: ProofStatement | null } & Answer<Value>)
  | { outcome: 'refused' }
  | { outcome: 'invalid' };
