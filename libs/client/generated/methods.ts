// Written by "npm run docs:make" from the contracts of the methods. Do not edit.

/** The methods by name: what they are sent, and what they return. Integers up to 2^64-1 are bigint in results. */
export interface Methods {
  /** The unspent compressed account with the given hash or address, or null. */
  getCompressedAccount: {
    params: {
      hash?: Hash | null;
      address?: Pubkey | null;
      minContextSlot?: number | null;
    };
    result: {
      context: Context;
      value: Account | null;
    };
  };
  /** A transaction with the compressed accounts that it closed (consumed) and opened (created). Null if the transaction is unknown, not indexed yet, failed, or without compression. Both lists are empty if a transaction with compression changed no account. `compressionInfo` and `compression_info` have the same content. */
  getTransactionWithCompressionInfo: {
    params: {
      signature: Signature;
      minContextSlot?: number | null;
    };
    result: {
      transaction: SolanaTransaction;
      compressionInfo: CompressionInfo;
      compression_info: CompressionInfo;
    } | null;
  };
  /** The transactions that created or consumed compressed accounts of an owner, newest first. A page with `limit` items has a `cursor`: send it to get the next page, and stop when it is null. The last page may be empty. New signatures are added before the first page only. The owner of a token account is the token program: for the tokens of a wallet use getCompressionSignaturesForTokenOwner. */
  getCompressionSignaturesForOwner: {
    params: {
      owner: Pubkey;
      cursor?: Cursor | null;
      limit?: number | null;
      minContextSlot?: number | null;
    };
    result: {
      context: Context;
      value: SignatureList;
    };
  };
  /** The transactions that created or consumed compressed token accounts of a wallet, newest first. A page with `limit` items has a `cursor`: send it to get the next page, and stop when it is null. The last page may be empty. New signatures are added before the first page only. Delegates do not count as owners. */
  getCompressionSignaturesForTokenOwner: {
    params: {
      owner: Pubkey;
      cursor?: Cursor | null;
      limit?: number | null;
      minContextSlot?: number | null;
    };
    result: {
      context: Context;
      value: SignatureList;
    };
  };
  /** The owners of compressed tokens of a mint and their balances, largest balance first. A page with `limit` items has a `cursor`: send it to get the next page, and stop when it is null. The last page may be empty. Owners with balance 0 are not listed. Frozen accounts count. A holder whose balance changes between two requests can appear twice or not at all. */
  getCompressedMintTokenHolders: {
    params: {
      mint: Pubkey;
      cursor?: Cursor | null;
      limit?: number | null;
      minContextSlot?: number | null;
    };
    result: {
      context: Context;
      value: TokenHolderList;
    };
  };
  /** Proofs that addresses are not in the default address tree, in the order of the request. All proofs of a response have the same root; rootSeq is its sequence number on the chain. */
  getMultipleNewAddressProofs: {
    params: readonly Pubkey[];
    result: {
      context: Context;
      value: NewAddressProof[];
    };
  };
  /** Like getCompressedAccount, with the state tree, its queue, and whether the account is still in the queue. */
  getCompressedAccountV2: {
    params: {
      hash?: Hash | null;
      address?: Pubkey | null;
      minContextSlot?: number | null;
    };
    result: {
      context: Context;
      value: AccountV2 | null;
    };
  };
  /** Like getTransactionWithCompressionInfo, with accounts in the V2 form, and with the nullifiers of closed accounts. proveByIndex of an opened account has its value at creation: true for an output of a V2 tree. For a closed account it has its current value. */
  getTransactionWithCompressionInfoV2: {
    params: {
      signature: Signature;
      minContextSlot?: number | null;
    };
    result: {
      transaction: SolanaTransaction;
      compressionInfo: CompressionInfoV2;
      compression_info: CompressionInfoV2;
    } | null;
  };
  /** Proofs that each address is not in its given address tree, in the order of the request. A request may name up to 10 trees. All proofs of one tree have the same root. */
  getMultipleNewAddressProofsV2: {
    params: readonly {
      address: Pubkey;
      tree: Pubkey;
    }[];
    result: {
      context: Context;
      value: NewAddressProof[];
    };
  };
  /** The unspent compressed accounts with the given hashes or addresses, in the order of the request. An account that does not exist or is spent is null. A key that is repeated is answered each time. */
  getMultipleCompressedAccounts: {
    params: {
      hashes?: readonly Hash[] | null;
      addresses?: readonly Pubkey[] | null;
      minContextSlot?: number | null;
    };
    result: {
      context: Context;
      value: FoundAccountList;
    };
  };
  /** Like getMultipleCompressedAccounts, with accounts in the V2 form. An account that does not exist or is spent is null. A key that is repeated is answered each time. */
  getMultipleCompressedAccountsV2: {
    params: {
      hashes?: readonly Hash[] | null;
      addresses?: readonly Pubkey[] | null;
      minContextSlot?: number | null;
    };
    result: {
      context: Context;
      value: FoundAccountListV2;
    };
  };
  /** The lamports of the unspent compressed account with the given hash or address, or 0. */
  getCompressedAccountBalance: {
    params: {
      hash?: Hash | null;
      address?: Pubkey | null;
      minContextSlot?: number | null;
    };
    result: {
      context: Context;
      value: bigint;
    };
  };
  /** Another name of getCompressedAccountBalance. */
  getCompressedBalance: {
    params: {
      hash?: Hash | null;
      address?: Pubkey | null;
      minContextSlot?: number | null;
    };
    result: {
      context: Context;
      value: bigint;
    };
  };
  /** The sum of the lamports of the unspent compressed accounts of an owner. */
  getCompressedBalanceByOwner: {
    params: {
      owner: Pubkey;
      minContextSlot?: number | null;
    };
    result: {
      context: Context;
      value: bigint;
    };
  };
  /** The amount of the unspent compressed token account with the given hash or address, or 0. */
  getCompressedTokenAccountBalance: {
    params: {
      hash?: Hash | null;
      address?: Pubkey | null;
      minContextSlot?: number | null;
    };
    result: {
      context: Context;
      value: TokenAmount;
    };
  };
  /** The unspent compressed token accounts of a wallet, of all mints or of one. A page with `limit` items has a `cursor`: send it to get the next page, and stop when it is null. The last page may be empty.  */
  getCompressedTokenAccountsByOwner: {
    params: {
      owner: Pubkey;
      mint?: Pubkey | null;
      cursor?: Cursor | null;
      limit?: number | null;
      minContextSlot?: number | null;
    };
    result: {
      context: Context;
      value: TokenAccountList;
    };
  };
  /** Like getCompressedTokenAccountsByOwner, with accounts in the V2 form. A page with `limit` items has a `cursor`: send it to get the next page, and stop when it is null. The last page may be empty.  */
  getCompressedTokenAccountsByOwnerV2: {
    params: {
      owner: Pubkey;
      mint?: Pubkey | null;
      cursor?: Cursor | null;
      limit?: number | null;
      minContextSlot?: number | null;
    };
    result: {
      context: Context;
      value: TokenAccountListV2;
    };
  };
  /** The unspent compressed token accounts that a delegate may spend, of all mints or of one. A page with `limit` items has a `cursor`: send it to get the next page, and stop when it is null. The last page may be empty.  */
  getCompressedTokenAccountsByDelegate: {
    params: {
      delegate: Pubkey;
      mint?: Pubkey | null;
      cursor?: Cursor | null;
      limit?: number | null;
      minContextSlot?: number | null;
    };
    result: {
      context: Context;
      value: TokenAccountList;
    };
  };
  /** Like getCompressedTokenAccountsByDelegate, with accounts in the V2 form. A page with `limit` items has a `cursor`: send it to get the next page, and stop when it is null. The last page may be empty.  */
  getCompressedTokenAccountsByDelegateV2: {
    params: {
      delegate: Pubkey;
      mint?: Pubkey | null;
      cursor?: Cursor | null;
      limit?: number | null;
      minContextSlot?: number | null;
    };
    result: {
      context: Context;
      value: TokenAccountListV2;
    };
  };
  /** The sum of the compressed tokens of a wallet for each mint, or for one. Use V2, whose list has the usual name. A page with `limit` items has a `cursor`: send it to get the next page, and stop when it is null. The last page may be empty. Mints with balance 0 are not listed. Frozen accounts count. */
  getCompressedTokenBalancesByOwner: {
    params: {
      owner: Pubkey;
      mint?: Pubkey | null;
      cursor?: Cursor | null;
      limit?: number | null;
      minContextSlot?: number | null;
    };
    result: {
      context: Context;
      value: MintBalanceList;
    };
  };
  /** The sum of the compressed tokens of a wallet for each mint, or for one. A page with `limit` items has a `cursor`: send it to get the next page, and stop when it is null. The last page may be empty. Mints with balance 0 are not listed. Frozen accounts count. */
  getCompressedTokenBalancesByOwnerV2: {
    params: {
      owner: Pubkey;
      mint?: Pubkey | null;
      cursor?: Cursor | null;
      limit?: number | null;
      minContextSlot?: number | null;
    };
    result: {
      context: Context;
      value: MintBalanceListV2;
    };
  };
  /** The unspent compressed accounts of a program or a wallet, by leaf index. A page with `limit` items has a `cursor`: send it to get the next page, and stop when it is null. The last page may be empty. Accounts without data match no filter. A slice changes the returned data only, not their hash. The owner of a token account is the token program: for the tokens of a wallet use getCompressedTokenAccountsByOwner. */
  getCompressedAccountsByOwner: {
    params: {
      owner: Pubkey;
      filters?: readonly DataFilter[] | null;
      dataSlice?: DataSlice | null;
      cursor?: Cursor | null;
      limit?: number | null;
      minContextSlot?: number | null;
    };
    result: {
      context: Context;
      value: AccountPage;
    };
  };
  /** Like getCompressedAccountsByOwner, with accounts in the V2 form. A page with `limit` items has a `cursor`: send it to get the next page, and stop when it is null. The last page may be empty. Accounts without data match no filter. A slice changes the returned data only, not their hash. The owner of a token account is the token program: for the tokens of a wallet use getCompressedTokenAccountsByOwner. */
  getCompressedAccountsByOwnerV2: {
    params: {
      owner: Pubkey;
      filters?: readonly DataFilter[] | null;
      dataSlice?: DataSlice | null;
      cursor?: Cursor | null;
      limit?: number | null;
      minContextSlot?: number | null;
    };
    result: {
      context: Context;
      value: AccountPageV2;
    };
  };
  /** The transactions that created and consumed the compressed account with the given hash, newest first. The list is empty for an unknown hash. */
  getCompressionSignaturesForAccount: {
    params: {
      hash: Hash;
      minContextSlot?: number | null;
    };
    result: {
      context: Context;
      value: AccountSignatureList;
    };
  };
  /** The transactions that created or consumed compressed accounts with the given address, newest first. A page with `limit` items has a `cursor`: send it to get the next page, and stop when it is null. The last page may be empty. New signatures are added before the first page only. */
  getCompressionSignaturesForAddress: {
    params: {
      address: Pubkey;
      cursor?: Cursor | null;
      limit?: number | null;
      minContextSlot?: number | null;
    };
    result: {
      context: Context;
      value: SignatureList;
    };
  };
  /** The transactions that involve compression, newest first. A page with `limit` items has a `cursor`: send it to get the next page, and stop when it is null. The last page may be empty. New signatures are added before the first page only. */
  getLatestCompressionSignatures: {
    params?: {
      cursor?: Cursor | null;
      limit?: number | null;
      minContextSlot?: number | null;
    } | [] | null;
    result: {
      context: Context;
      value: SignatureList;
    };
  };
  /** The transactions that succeeded and are not votes, with and without compression, newest first. Only the newest transactions are stored, and of a block the last 1,000. The result has no cursor; `cursor` is one of `getLatestCompressionSignatures`. */
  getLatestNonVotingSignatures: {
    params?: {
      cursor?: Cursor | null;
      limit?: number | null;
      minContextSlot?: number | null;
    } | [] | null;
    result: {
      context: Context;
      value: NonVotingSignatureList;
    };
  };
  /** The Merkle path of the compressed account with the given hash. A consumed account has a path until its leaf is nullified. rootSeq is the sequence number of the root on the chain. */
  getCompressedAccountProof: {
    params: {
      hash: Hash;
      minContextSlot?: number | null;
    };
    result: {
      context: Context;
      value: AccountProof;
    };
  };
  /** Like getCompressedAccountProof, also for an account in the output queue of a V2 tree. A consumed account has a path until its leaf is nullified. rootSeq is the sequence number of the root on the chain. */
  getCompressedAccountProofV2: {
    params: {
      hash: Hash;
      minContextSlot?: number | null;
    };
    result: {
      context: Context;
      value: AccountProofV2;
    };
  };
  /** The Merkle paths of the compressed accounts with the given hashes, in the order of the request. All paths in one tree have the same root. */
  getMultipleCompressedAccountProofs: {
    params: readonly Hash[];
    result: {
      context: Context;
      value: AccountProof[];
    };
  };
  /** Like getMultipleCompressedAccountProofs, also for accounts in the output queues of V2 trees. All paths in one tree have the same root. */
  getMultipleCompressedAccountProofsV2: {
    params: readonly Hash[];
    result: {
      context: Context;
      value: AccountProofV2[];
    };
  };
  /** A zero-knowledge proof that accounts exist and that addresses are new, for trees of one version. Consumed accounts are proven until their leaves are nullified. */
  getValidityProof: {
    params: {
      hashes?: readonly Hash[] | null;
      newAddresses?: readonly Pubkey[] | null;
      newAddressesWithTrees?: readonly {
        address: Pubkey;
        tree: Pubkey;
      }[] | null;
      minContextSlot?: number | null;
    };
    result: {
      context: Context;
      value: ValidityProof;
    };
  };
  /** Like getValidityProof, also for accounts in the output queues of V2 trees, which need no proof. */
  getValidityProofV2: {
    params: {
      hashes?: readonly Hash[] | null;
      newAddressesWithTrees?: readonly {
        address: Pubkey;
        tree: Pubkey;
      }[] | null;
      minContextSlot?: number | null;
    };
    result: {
      context: Context;
      value: ValidityProofV2;
    };
  };
  /** The account with the given address, whether it is on the chain or compressed, or null. The account on the chain counts if it has lamports. Compressed accounts belong to an address if they are mints that contain it, if a program derived their address in a V2 address tree from it, or if they are token accounts of this owner; what stays of an account that was decompressed does not count. Token accounts of one mint, on the chain and compressed, are added up: amounts, amounts of the delegate, and frozen if any of them is. Of other accounts, the one on the chain is returned if no compressed one is newer. If the Solana node does not answer, or none is configured, only compressed accounts are found; if the index cannot be read, only accounts on the chain. */
  getAccountInterface: {
    params: {
      address: Pubkey;
      commitment?: 'processed' | 'confirmed' | 'finalized' | null;
      minContextSlot?: number | null;
    };
    result: {
      context: Context;
      value: AccountInterface | null;
    };
  };
  /** The accounts with the given addresses, whether they are on the chain or compressed, in the order of the request. An account that does not exist is null. An address that is repeated is answered each time. The account on the chain counts if it has lamports. Compressed accounts belong to an address if they are mints that contain it, if a program derived their address in a V2 address tree from it, or if they are token accounts of this owner; what stays of an account that was decompressed does not count. Token accounts of one mint, on the chain and compressed, are added up: amounts, amounts of the delegate, and frozen if any of them is. Of other accounts, the one on the chain is returned if no compressed one is newer. If the Solana node does not answer, or none is configured, only compressed accounts are found; if the index cannot be read, only accounts on the chain. */
  getMultipleAccountInterfaces: {
    params: {
      addresses: readonly Pubkey[];
      commitment?: 'processed' | 'confirmed' | 'finalized' | null;
      minContextSlot?: number | null;
    };
    result: {
      context: Context;
      value: (AccountInterface | null)[];
    };
  };
  /** Entries of the queues of a V2 tree, with the nodes and hash chains that a forester needs to update the tree. All parts are of one state of the tree. Entries of state trees are cut to whole zkp batches; stateQueue is absent if no entry is left in any requested queue. Foresters that page with startIndex compare initialRoot. This method is for V2 trees. */
  getQueueElements: {
    params: {
      tree: Pubkey;
      outputQueue?: QueueSelection | null;
      inputQueue?: QueueSelection | null;
      addressQueue?: QueueSelection | null;
      minContextSlot?: number | null;
    };
    result: {
      context: Context;
      stateQueue?: StateQueue;
      addressQueue?: AddressQueue;
    };
  };
  /** The queues of V2 trees, of all or of the given ones, with the number of entries that wait for a batch. A state tree has an input queue (type 3) and an output queue (type 5), both with the key of the output queue. An address tree has an address queue (type 4). The order is by tree, then by type. Unknown trees and V1 trees are left out. */
  getQueueInfo: {
    params?: {
      trees?: readonly Pubkey[] | null;
      minContextSlot?: number | null;
    } | [] | null;
    result: {
      queues: QueueInfo[];
      /** A slot number. */
      slot: number;
    };
  };
  /** The accounts in the input queue of a V2 state tree that no batch has nullified yet, by queue index. The list of a tree that is unknown or has no such queue is empty. */
  getQueueLeafIndices: {
    params: {
      tree: Pubkey;
      /** The most entries. */
      limit: number;
      startIndex?: number | null;
      minContextSlot?: number | null;
    };
    result: {
      context: Context;
      value: QueueLeaf[];
    };
  };
  /** A state or address tree: how full it is, its root and queues, and whether proofs of it are given. The value of an unknown tree is null. A tree can be some slots before or after the context. */
  getTreeStatus: {
    params: {
      tree: Pubkey;
      minContextSlot?: number | null;
    };
    result: {
      context: Context;
      value: TreeStatus | null;
    };
  };
  /** The indexed slot: the newest slot up to which every block is indexed. */
  getIndexerSlot: {
    params?: {
      minContextSlot?: number | null;
    } | [] | null;
    result: number;
  };
  /** "ok" if the index is up to date, otherwise an error with the reason. */
  getIndexerHealth: {
    params?: {
      minContextSlot?: number | null;
    } | [] | null;
    result: 'ok';
  };
  /** The progress of the index, its lag behind the chain, and the trees whose proofs it gives. blockhash and blockTime are those of the indexed slot; they are null if a history source that tells none has attested the slot. attestedTo is the newest slot of such sources. trees are counted: getTreeStatus tells why one is refused. deadLetters and consumers are present if the operator of the gateway publishes them. */
  getIndexerStatus: {
    params?: {
      minContextSlot?: number | null;
    } | [] | null;
    result: IndexerStatus;
  };
  /** Null if the gateway answers requests. `GET /liveness` has the same result. */
  liveness: {
    params?: {
      minContextSlot?: number | null;
    } | [] | null;
    result: null;
  };
  /** Null if the gateway can read the index, otherwise an error. `GET /readiness` has the same result. A lag of the index is reported by `getIndexerHealth`. */
  readiness: {
    params?: {
      minContextSlot?: number | null;
    } | [] | null;
    result: null;
  };
  /** The OpenRPC document of all methods. `GET /openrpc.json` has the same document. */
  'rpc.discover': {
    params?: {
      minContextSlot?: number | null;
    } | [] | null;
    result: OpenRpcDocument;
  };
  /** Subscribes to transactions, and returns the id of the subscription. The filter is "all", or lists of which any account that a transaction opens or closes has to match any value. Notifications of the method compressionNotification follow. `from` is the cursor of an earlier slot message, of any age, or a slot: then all that was missed is sent first. Transactions after the slot of the cursor are sent again. */
  compressionSubscribe: {
    params: ['all' | {
      hashes?: readonly Hash[];
      addresses?: readonly Hash[];
      owners?: readonly Pubkey[];
      tokenOwners?: readonly Pubkey[];
      delegates?: readonly Pubkey[];
      mints?: readonly Pubkey[];
      trees?: readonly Pubkey[];
    }] | ['all' | {
      hashes?: readonly Hash[];
      addresses?: readonly Hash[];
      owners?: readonly Pubkey[];
      tokenOwners?: readonly Pubkey[];
      delegates?: readonly Pubkey[];
      mints?: readonly Pubkey[];
      trees?: readonly Pubkey[];
    }, {
      from?: string | {
        /** A slot number. */
        slot: number;
      };
      /** signatures: without accounts. The default is full. */
      details?: 'full' | 'signatures';
    }];
    result: number;
  };
  /** Ends a subscription. The result is false if the connection has none with this id. */
  compressionUnsubscribe: {
    params: [number];
    result: boolean;
  };
}

/** A hash: base58 of 32 bytes. As a number it is big-endian. */
export type Hash = string;

/** A public key: base58 of 32 bytes. */
export type Pubkey = string;

/** A transaction signature: base58 of 64 bytes. */
export type Signature = string;

/** The `cursor` of the previous page. Opaque. */
export type Cursor = string;

/** The data, without the discriminator, have these bytes at this offset. */
export interface DataFilter {
  memcmp: {
    offset: number;
    /** At most 1024 bytes. */
    bytes: string;
    encoding?: 'base58' | 'base64' | null;
  };
}

/** The part of the data, without the discriminator, that is returned. */
export interface DataSlice {
  offset: number;
  length: number;
}

export interface QueueSelection {
  /** The most entries. */
  limit: number;
  startIndex?: number | null;
  zkpBatchSize?: number | null;
}

/** The indexed slot of the snapshot that the value was read from. */
export interface Context {
  /** A slot number. */
  slot: number;
}

/** A compressed account. `seq` is null in V2 trees. */
export interface Account {
  hash: Hash;
  address: Pubkey | null;
  data: AccountData | null;
  owner: Pubkey;
  lamports: bigint;
  leafIndex: number;
  seq: bigint | null;
  /** A slot number. */
  slotCreated: number;
  tree: Pubkey;
}

/** The data that the owning program stores in a compressed account. */
export interface AccountData {
  discriminator: bigint;
  data: Base64String;
  dataHash: Hash;
}

/** Bytes in base64, standard alphabet, padded. */
export type Base64String = string;

/** The result of `getTransaction` exactly as the node returned it. */
export interface SolanaTransaction {
  /** A slot number. */
  slot: number;
  /** The transaction in base64, and the string "base64". */
  transaction: string[];
  /** Status metadata as the node returned it. */
  meta: unknown;
  /** Unix time in seconds. */
  blockTime: number;
  /** "legacy" or the version number. */
  version?: unknown;
}

export interface CompressionInfo {
  /** Consumed accounts, in input order. */
  closedAccounts: {
    account: Account;
    optionalTokenData: TokenData | null;
  }[];
  /** Created accounts, in output order. */
  openedAccounts: {
    account: Account;
    optionalTokenData: TokenData | null;
  }[];
  /** Sums of the closed accounts by owner and mint. */
  preTokenBalances?: TokenBalance[];
  /** Sums of the opened accounts by owner and mint. */
  postTokenBalances?: TokenBalance[];
}

/** The token data of a compressed token account. */
export interface TokenData {
  mint: Pubkey;
  owner: Pubkey;
  amount: bigint;
  delegate: Pubkey | null;
  state: 'initialized' | 'frozen';
  tlv: Base64String | null;
}

export interface TokenBalance {
  owner: Pubkey;
  mint: Pubkey;
  amount: bigint;
}

/** Ordered by slot, then by signature bytes, both descending. */
export interface SignatureList {
  items: SignatureItem[];
  cursor: Cursor | null;
}

export interface SignatureItem {
  signature: Signature;
  /** A slot number. */
  slot: number;
  /** Unix time in seconds. */
  blockTime: number;
}

/** Ordered by balance, then by owner bytes, both descending. */
export interface TokenHolderList {
  items: TokenHolder[];
  cursor: Cursor | null;
}

export interface TokenHolder {
  owner: Pubkey;
  balance: bigint;
}

/** A proof that an address is not in an address tree: the low element, which is its predecessor, with its Merkle path. */
export interface NewAddressProof {
  address: Pubkey;
  lowerRangeAddress: Pubkey;
  higherRangeAddress: Pubkey;
  lowElementLeafIndex: number;
  /** Leaf index of the element with `higherRangeAddress`. */
  nextIndex: number;
  merkleTree: Pubkey;
  /** Merkle path of the low element: its siblings, leaf level first. */
  proof: Hash[];
  root: Hash;
  rootSeq: bigint;
}

/** A compressed account with its tree and queue. */
export interface AccountV2 {
  hash: Hash;
  address: Pubkey | null;
  data: AccountData | null;
  owner: Pubkey;
  lamports: bigint;
  leafIndex: number;
  seq: bigint | null;
  /** A slot number. */
  slotCreated: number;
  /** True if the account is still in the output queue: the program checks it by its leaf index, without a Merkle proof. */
  proveByIndex: boolean;
  merkleContext: MerkleContext;
}

/** The state tree and output queue of an account. */
export interface MerkleContext {
  /** 1 = StateV1, 2 = AddressV1, 3 = StateV2, 4 = AddressV2 */
  treeType: number;
  tree: Pubkey;
  queue: Pubkey;
  cpiContext: Pubkey | null;
  nextTreeContext: TreeContext | null;
}

export interface TreeContext {
  /** 1 = StateV1, 2 = AddressV1, 3 = StateV2, 4 = AddressV2 */
  treeType: number;
  tree: Pubkey;
  queue: Pubkey;
  cpiContext: Pubkey | null;
}

export interface CompressionInfoV2 {
  /** Consumed accounts, in input order. */
  closedAccounts: {
    account: ClosedAccountV2;
    optionalTokenData: TokenData | null;
  }[];
  /** Created accounts, in output order. */
  openedAccounts: {
    account: AccountV2;
    optionalTokenData: TokenData | null;
  }[];
  /** Sums of the closed accounts by owner and mint. */
  preTokenBalances?: TokenBalance[];
  /** Sums of the opened accounts by owner and mint. */
  postTokenBalances?: TokenBalance[];
}

/** A consumed account with its nullifier and the hash of the transaction that consumed it; both are zero for a V1 tree. */
export interface ClosedAccountV2 {
  account: AccountV2;
  nullifier: Hash;
  txHash: Hash;
}

export interface FoundAccountList {
  items: (Account | null)[];
}

export interface FoundAccountListV2 {
  items: (AccountV2 | null)[];
}

export interface TokenAmount {
  amount: bigint;
}

/** Ordered by mint bytes, then by hash, both ascending. */
export interface TokenAccountList {
  items: TokenAccount[];
  cursor: Cursor | null;
}

export interface TokenAccount {
  account: Account;
  tokenData: TokenData;
}

/** Ordered by mint bytes, then by hash, both ascending. */
export interface TokenAccountListV2 {
  items: TokenAccountV2[];
  cursor: Cursor | null;
}

export interface TokenAccountV2 {
  account: AccountV2;
  tokenData: TokenData;
}

/** Ordered by mint bytes, ascending. */
export interface MintBalanceList {
  token_balances: MintBalance[];
  cursor: Cursor | null;
}

export interface MintBalance {
  mint: Pubkey;
  balance: bigint;
}

/** Ordered by mint bytes, ascending. */
export interface MintBalanceListV2 {
  items: MintBalance[];
  cursor: Cursor | null;
}

/** Ordered by leaf index, then by hash bytes, both ascending, over all trees. */
export interface AccountPage {
  items: Account[];
  cursor: Cursor | null;
}

/** Ordered by leaf index, then by hash bytes, both ascending, over all trees. */
export interface AccountPageV2 {
  items: AccountV2[];
  cursor: Cursor | null;
}

export interface AccountSignatureList {
  items: SignatureItem[];
}

export interface NonVotingSignatureList {
  items: NonVotingSignature[];
}

export interface NonVotingSignature {
  signature: Signature;
  /** A slot number. */
  slot: number;
  /** Unix time in seconds. */
  blockTime: number;
  /** Always null: transactions that failed are not listed. */
  error: null;
}

/** The Merkle path from the hash of an account to a root of its state tree. */
export interface AccountProof {
  hash: Hash;
  leafIndex: number;
  /** Merkle path of the leaf: its siblings, leaf level first. */
  proof: Hash[];
  root: Hash;
  rootSeq: bigint;
  merkleTree: Pubkey;
}

/** Like AccountProof, also for accounts in the output queue of a V2 tree. */
export interface AccountProofV2 {
  hash: Hash;
  leafIndex: number;
  /** Merkle path of the leaf: its siblings, leaf level first. */
  proof: Hash[];
  root: Hash;
  rootSeq: bigint;
  /** True if the account is still in the output queue: then the path is empty, and the root is 32 zero bytes. */
  proveByIndex: boolean;
  treeContext: TreeContext;
}

/** Each list has the accounts first, and then the addresses: their leaf index is that of the low element. */
export interface ValidityProof {
  compressedProof: CompressedProof;
  roots: Hash[];
  rootIndices: number[];
  leafIndices: number[];
  leaves: Hash[];
  merkleTrees: Pubkey[];
}

/** A Groth16 proof with compressed points, as the chain verifies it. */
export interface CompressedProof {
  a: number[];
  b: number[];
  c: number[];
}

/** The proof is null if all accounts are in an output queue: programs check them by their leaf index. */
export interface ValidityProofV2 {
  compressedProof: CompressedProof | null;
  accounts: ProvenAccount[];
  addresses: ProvenAddress[];
}

export interface ProvenAccount {
  hash: Hash;
  root: Hash;
  rootIndex: AccountRootIndex;
  leafIndex: number;
  merkleContext: MerkleContext;
}

export interface AccountRootIndex {
  /** Where the tree's account stores the root: rootSeq modulo the length of its root history. */
  rootIndex: number;
  proveByIndex: boolean;
}

export interface ProvenAddress {
  address: Pubkey;
  root: Hash;
  /** Where the tree's account stores the root: rootSeq modulo the length of its root history. */
  rootIndex: number;
  merkleContext: MerkleContext;
}

/** An account, wherever it is. */
export interface AccountInterface {
  key: Pubkey;
  account: SolanaAccount;
  cold: AccountV2[] | null;
}

/** The account on the chain, or one with the contents of the newest compressed account: of a token account in the layout of the SPL token program, of another its discriminator and data. */
export interface SolanaAccount {
  lamports: bigint;
  data: Base64String;
  owner: Pubkey;
  executable: boolean;
  rentEpoch: bigint;
  /** The length of the data in bytes. */
  space: number;
}

/** The requested queues of a state tree. The nodes are the leaves of all entries, the siblings on their paths, and the paths up to the root. */
export interface StateQueue {
  /** By index. Absent without entries. */
  nodes?: QueueNode[];
  initialRoot: Hash;
  rootSeq: bigint;
  outputQueue?: OutputQueue;
  inputQueue?: InputQueue;
}

/** A node of the tree. */
export interface QueueNode {
  /** level * 2^56 + position from the left; leaves have level 0. It needs a JSON parser that keeps all digits. */
  index: bigint;
  hash: Hash;
}

/** Accounts that are not appended yet, by leaf index. */
export interface OutputQueue {
  leafIndices: number[];
  accountHashes: Hash[];
  /** The current values of the leaves; zero bytes: not appended yet. */
  leaves: Hash[];
  /** Queue index of the first entry; 0 without entries. */
  firstQueueIndex: bigint;
  /** The same as firstQueueIndex. */
  nextIndex: bigint;
  /** The hash chain of each whole zkp batch: H(H(a, b), c) and so on of its values. */
  leavesHashChains: Hash[];
}

/** Consumed accounts that are not nullified yet, by queue index. */
export interface InputQueue {
  leafIndices: number[];
  accountHashes: Hash[];
  /** The current values of the leaves; zero bytes: not appended yet. */
  leaves: Hash[];
  txHashes: Hash[];
  nullifiers: Hash[];
  /** Queue index of the first entry; 0 without entries. */
  firstQueueIndex: bigint;
  /** The hash chain of each whole zkp batch: H(H(a, b), c) and so on of its values. */
  leavesHashChains: Hash[];
}

/** The queue of an address tree, by queue index. The nodes are the leaves of the low elements, their paths up to the root, and the siblings on these. Without entries, initialRoot is zero bytes. */
export interface AddressQueue {
  addresses: Pubkey[];
  queueIndices: bigint[];
  /** By index. Absent without entries. */
  nodes?: QueueNode[];
  lowElementIndices: number[];
  lowElementValues: Hash[];
  lowElementNextIndices: number[];
  lowElementNextValues: Hash[];
  /** The hash chain of each whole zkp batch: H(H(a, b), c) and so on of its values. */
  leavesHashChains: Hash[];
  initialRoot: Hash;
  /** Leaf index of the next appended address. */
  startIndex: bigint;
  /** The rightmost left node of each level, leaf level first, also without entries. */
  subtrees: Hash[];
  /** 0 without entries. */
  rootSeq: bigint;
}

/** A queue of a V2 tree. */
export interface QueueInfo {
  tree: Pubkey;
  queue: Pubkey;
  /** 3: input queue, 4: address queue, 5: output queue. */
  queueType: number;
  queueSize: bigint;
}

/** An account in an input queue: its hash, and the leaf that a batch will nullify. */
export interface QueueLeaf {
  hash: Hash;
  queueIndex: bigint;
  leafIndex: number;
}

export interface TreeStatus {
  tree: Pubkey;
  queue: Pubkey;
  /** 1 = StateV1, 2 = AddressV1, 3 = StateV2, 4 = AddressV2 */
  type: number;
  height: number;
  /** The number of leaves that fit. */
  capacity: bigint;
  /** The leaf index of the next leaf. */
  nextIndex: bigint;
  root: Hash;
  rootSeq: bigint;
  /** The slot as of which the tree is. */
  slot: number;
  /** Whether proofs of the tree are given. */
  served: boolean;
  reason: string | null;
  /** The queues of a V2 tree, with the entries that wait for a batch. */
  queues: QueueStatus[];
}

export interface QueueStatus {
  /** 3: input queue, 4: address queue, 5: output queue. */
  queueType: number;
  queueSize: bigint;
}

export interface IndexerStatus {
  /** The indexed slot. */
  slot: number;
  blockhash: Hash | null;
  blockTime: number | null;
  chainSlot: number | null;
  lagSlots: number | null;
  lagSeconds: number | null;
  /** The first slot of the index. */
  firstSlot: number;
  attestedTo: number | null;
  version: string;
  trees: {
    served: number;
    refused: number;
  };
  deadLetters?: DeadLetterCount[];
  consumers?: ConsumerStatus[];
}

export interface DeadLetterCount {
  reason: string;
  count: number;
}

/** How far a consumer of Kafka has applied a partition. */
export interface ConsumerStatus {
  group: string;
  topic: string;
  partition: number;
  slot: number | null;
  lagSlots: number | null;
}

/** A document as https://spec.open-rpc.org describes it. */
export interface OpenRpcDocument {
  /** The version of OpenRPC. */
  openrpc: string;
  info: {
    title: string;
    version: string;
  };
  methods: {
    name: string;
  }[];
  components: object;
}

/** Members of results whose values are integers up to 2^64-1, by method. */
export const U64_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  getCompressedAccount: ['discriminator', 'lamports', 'seq'],
  getTransactionWithCompressionInfo: ['discriminator', 'lamports', 'seq', 'amount'],
  getCompressedMintTokenHolders: ['balance'],
  getMultipleNewAddressProofs: ['rootSeq'],
  getCompressedAccountV2: ['discriminator', 'lamports', 'seq'],
  getTransactionWithCompressionInfoV2: ['discriminator', 'lamports', 'seq', 'amount'],
  getMultipleNewAddressProofsV2: ['rootSeq'],
  getMultipleCompressedAccounts: ['discriminator', 'lamports', 'seq'],
  getMultipleCompressedAccountsV2: ['discriminator', 'lamports', 'seq'],
  getCompressedAccountBalance: ['value'],
  getCompressedBalance: ['value'],
  getCompressedBalanceByOwner: ['value'],
  getCompressedTokenAccountBalance: ['amount'],
  getCompressedTokenAccountsByOwner: ['discriminator', 'lamports', 'seq', 'amount'],
  getCompressedTokenAccountsByOwnerV2: ['discriminator', 'lamports', 'seq', 'amount'],
  getCompressedTokenAccountsByDelegate: ['discriminator', 'lamports', 'seq', 'amount'],
  getCompressedTokenAccountsByDelegateV2: ['discriminator', 'lamports', 'seq', 'amount'],
  getCompressedTokenBalancesByOwner: ['balance'],
  getCompressedTokenBalancesByOwnerV2: ['balance'],
  getCompressedAccountsByOwner: ['discriminator', 'lamports', 'seq'],
  getCompressedAccountsByOwnerV2: ['discriminator', 'lamports', 'seq'],
  getCompressedAccountProof: ['rootSeq'],
  getCompressedAccountProofV2: ['rootSeq'],
  getMultipleCompressedAccountProofs: ['rootSeq'],
  getMultipleCompressedAccountProofsV2: ['rootSeq'],
  getAccountInterface: ['lamports', 'rentEpoch', 'discriminator', 'seq'],
  getMultipleAccountInterfaces: ['lamports', 'rentEpoch', 'discriminator', 'seq'],
  getQueueElements: ['index', 'rootSeq', 'firstQueueIndex', 'nextIndex', 'queueIndices', 'startIndex'],
  getQueueInfo: ['queueSize'],
  getQueueLeafIndices: ['queueIndex'],
  getTreeStatus: ['capacity', 'nextIndex', 'rootSeq', 'queueSize'],
  compressionNotification: ['discriminator', 'lamports', 'seq', 'amount'],
};
