import { type Hash, type Pubkey, type Signature, type Slot } from '@fresnel/domain/primitives';
import { type TreeInfo } from '@fresnel/domain/trees';
import { type ActionName } from './actions/action-name';

/** The content of a generated block, recorded by the generator. */
export interface BlockFacts {
  slot: Slot;
  /** Unix seconds. */
  blockTime: number;
  /** In block order. */
  transactions: readonly TransactionFacts[];
}

/** A transaction of a generated block, with or without compression events. */
export interface TransactionFacts {
  signature: Signature;
  /** The action that built the transaction. */
  action: ActionName;
  isFailed: boolean;
  /** Authentic events in instruction order; empty when the transaction does not involve compression. */
  events: readonly EventFacts[];
  /** JSON members of the block's entry, without braces: `"transaction":[…],"meta":{…},"version":…`. */
  members: string;
}

/** An authentic event. */
export type EventFacts =
  | TransitionFacts
  | LeavesNullifiedFacts
  | LeafMigratedFacts
  | AddressesInsertedFacts
  | StateBatchFacts
  | AddressBatchFacts;

/** A state transition: one instruction of the light system program consumes and creates accounts and addresses. */
export interface TransitionFacts {
  kind: 'transition';
  /** 1: reported through the noop program, without new addresses. 2: reported by `InsertIntoQueues`. */
  format: 1 | 2;
  inputs: readonly ConsumedAccount[];
  outputs: readonly CreatedAccount[];
  newAddresses: readonly NewAddress[];
  /** Wallets of associated token accounts among the outputs. */
  ataOwners: readonly AtaOwner[];
  /** Transaction hash, to which the nullifiers commit; all zero unless the instruction requests it. */
  txHash: Hash;
}

/** Content of an account, without its position in a tree. */
export interface AccountBody {
  owner: Pubkey;
  lamports: bigint;
  /** 32 bytes, big endian. */
  address: Hash | null;
  data: AccountData | null;
}

/** The data of an account. */
export interface AccountData {
  /** 8 bytes as stored. */
  discriminator: Buffer;
  bytes: Buffer;
  dataHash: Hash;
}

/** An account with its position; its hash is its leaf. */
export interface CreatedAccount extends AccountBody {
  hash: Hash;
  tree: TreeInfo;
  leafIndex: number;
  /** Sequence number of the leaf in V1 trees; always null in V2 trees. */
  seq: bigint | null;
  slot: Slot;
  /** Token data that `data` encodes; null for other accounts. */
  token: TokenData | null;
  /** False when the instruction with the body cannot be parsed, so that an indexer can only know the leaf. */
  isReadable: boolean;
}

/** Decoded data of a token account. */
export interface TokenData {
  mint: Pubkey;
  owner: Pubkey;
  amount: bigint;
  delegate: Pubkey | null;
  isFrozen: boolean;
  /** Bytes after the extension tag (TLV); null for none. */
  extensions: Buffer | null;
}

/** The wallet of an output that is an associated token account. */
export interface AtaOwner {
  outputIndex: number;
  wallet: Pubkey;
}

/** An account that a transition consumes. */
export interface ConsumedAccount {
  account: CreatedAccount;
  /** Index of the proven root in the root history; null when the account is proven by its output queue index. */
  rootIndex: number | null;
  /** Set for accounts of V2 trees. */
  nullification: Nullification | null;
}

/** A queued nullifier of a V2 tree, which will overwrite the leaf of a consumed account. */
export interface Nullification {
  /** Position in the tree's input queue. */
  queueIndex: bigint;
  nullifier: Hash;
}

/** An address that a transition creates. */
export interface NewAddress {
  tree: TreeInfo;
  /** 32 bytes from which the address is derived. */
  seed: Hash;
  address: Hash;
  /** Index of the proven root in the root history. */
  rootIndex: number;
  /** Position in a V2 tree's address queue; null for V1 trees. */
  queueIndex: bigint | null;
}

/** V1 state tree: a forester zeroed leaves. The i-th leaf has sequence number `seq` + i. */
export interface LeavesNullifiedFacts {
  kind: 'leaves-nullified';
  tree: Pubkey;
  leafIndices: readonly number[];
  seq: bigint;
}

/** The leaf of an account in a V1 state tree was zeroed, and entered the output queue of a V2 state tree. */
export interface LeafMigratedFacts {
  kind: 'leaf-migrated';
  /** The V1 tree. */
  tree: Pubkey;
  account: CreatedAccount;
  /** Sequence number of the nullification. */
  seq: bigint;
  /** The V2 tree. */
  target: TreeInfo;
  /** Leaf index in the V2 tree. */
  targetLeafIndex: number;
}

/**
 * V1 address tree: a forester inserted addresses one by one; the i-th has the sequence numbers
 * `seq` + 2i and `seq` + 2i + 1.
 */
export interface AddressesInsertedFacts {
  kind: 'addresses-inserted';
  tree: Pubkey;
  addresses: readonly Hash[];
  seq: bigint;
}

/** V2 state tree: a forester appended a batch of outputs or nullified a batch of inputs. */
export interface StateBatchFacts extends BatchFacts {
  kind: 'outputs-appended' | 'inputs-nullified';
}

/** V2 address tree: a forester inserted a batch of queued addresses. */
export interface AddressBatchFacts extends BatchFacts {
  kind: 'addresses-appended';
  /** In the order of the queue. */
  addresses: readonly Hash[];
}

interface BatchFacts {
  tree: Pubkey;
  /** Append: first leaf index. Nullify: first queue position. Addresses: first leaf index, from 1. */
  oldNextIndex: number;
  newNextIndex: number;
  /** Root after the update. */
  newRoot: Hash;
  /** Sequence number of the update. */
  seq: bigint;
}
