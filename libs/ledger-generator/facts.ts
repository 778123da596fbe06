import { type Hash, type Pubkey, type Signature, type Slot } from '@fresnel/domain/primitives';
import { type TreeInfo } from '@fresnel/domain/trees';
import { type ActionName } from './actions/catalog';

/** What truly happened in a block, told by the one who made it happen. */
export interface BlockFacts {
  slot: Slot;
  /** Unix seconds. */
  blockTime: number;
  /** In block order. */
  transactions: readonly TransactionFacts[];
}

/** A transaction, whether it matters or not. */
export interface TransactionFacts {
  signature: Signature;
  /** What the transaction was made for. */
  action: ActionName;
  isFailed: boolean;
  /** What authentic events report, in instruction order. None: the transaction does not involve compression. */
  events: readonly EventFacts[];
  /** JSON members of the block's entry, without braces: `"transaction":[…],"meta":{…},"version":…`. */
  members: string;
}

/** Something that an authentic event reports. */
export type EventFacts =
  TransitionFacts | LeavesNullifiedFacts | AddressesInsertedFacts | StateBatchFacts | AddressBatchFacts;

/** One call of the light system program: accounts consumed and created, addresses taken. */
export interface TransitionFacts {
  kind: 'transition';
  /** 1: told through the noop program, which does not tell new addresses. 2: told by `InsertIntoQueues`. */
  format: 1 | 2;
  inputs: readonly ConsumedAccount[];
  outputs: readonly CreatedAccount[];
  newAddresses: readonly TakenAddress[];
  /** What the nullifiers commit to; all zero where nobody asked for it. */
  txHash: Hash;
}

/** What the owner decides about an account; the rest follows from where it is put. */
export interface AccountBody {
  owner: Pubkey;
  lamports: bigint;
  /** 32 bytes, big endian. */
  address: Hash | null;
  data: AccountData | null;
}

/** What a program keeps in an account. */
export interface AccountData {
  /** 8 bytes as stored. */
  discriminator: Buffer;
  bytes: Buffer;
  dataHash: Hash;
}

/** An account with its place; its hash is its leaf. */
export interface CreatedAccount extends AccountBody {
  hash: Hash;
  tree: TreeInfo;
  leafIndex: number;
  /** V1 trees: number that the tree gave to the leaf. V2 trees: null, for ever. */
  seq: bigint | null;
  slot: Slot;
  /** Set for token accounts: what `data` says. */
  token: TokenData | null;
  /** False where the instruction that carries the body cannot be read: only the leaf is known to the world. */
  isReadable: boolean;
}

/** What the data of a token account say. */
export interface TokenData {
  mint: Pubkey;
  owner: Pubkey;
  amount: bigint;
  delegate: Pubkey | null;
  isFrozen: boolean;
  /** Bytes behind the extension tag; null for none. */
  extensions: Buffer | null;
}

/** An account that a transition consumes. */
export interface ConsumedAccount {
  account: CreatedAccount;
  /** Place of the proving root in the tree's ring; null where the account is named by its place in the output queue. */
  rootIndex: number | null;
  /** Set for accounts of V2 trees. */
  nullification: Nullification | null;
}

/** What waits to overwrite the leaf of a consumed account. */
export interface Nullification {
  /** Position in the tree's nullifier queue. */
  queueIndex: bigint;
  nullifier: Hash;
}

/** An address that is new with a transition. */
export interface TakenAddress {
  tree: TreeInfo;
  /** 32 bytes that the address was derived from. */
  seed: Hash;
  address: Hash;
  /** Place of the proving root in the tree's ring. */
  rootIndex: number;
  /** Position in a V2 tree's address queue; null for V1 trees. */
  queueIndex: bigint | null;
}

/** V1 state tree: a forester zeroed leaves. Leaf i of the list got number `seq` + i. */
export interface LeavesNullifiedFacts {
  kind: 'leaves-nullified';
  tree: Pubkey;
  leafIndices: readonly number[];
  seq: bigint;
}

/** V1 address tree: a forester inserted addresses one by one; the i-th used the numbers `seq` + 2i and `seq` + 2i + 1. */
export interface AddressesInsertedFacts {
  kind: 'addresses-inserted';
  tree: Pubkey;
  addresses: readonly Hash[];
  seq: bigint;
}

/** V2 state tree: a forester moved a batch of a queue into the tree. */
export interface StateBatchFacts extends BatchFacts {
  kind: 'outputs-appended' | 'inputs-nullified';
}

/** V2 address tree: a forester moved a batch of its queue into the tree. */
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
  /** The tree's number after the update. */
  seq: bigint;
}
