export { findAccount, findAccounts } from './account.query';
export { type AccountRecord, type TokenAccountRecord } from './account-record';
export { StoreUnavailableError } from '@fresnel/adapters/store-schema';
export { findAccountSignatures, findAddressSignatures, findLatestSignatures } from './account-signatures.query';
export { type ColdAccount, findColdAccounts, MAX_COLD_ACCOUNTS } from './cold-accounts.query';
export { findOwnerLamports, findTokenBalances, type TokenBalancePage, type TokenBalanceRecord } from './balances.query';
export { NothingIndexedError, SignaturesNotRecordedError, TooManyAccountsError } from './errors';
export { findIndexedSlot, findIndexerStatus, type IndexerStatus } from './indexer-status.query';
export {
  type AccountPage,
  type DataFilter,
  findOwnerAccounts,
  type OwnerAccountPosition,
} from './owner-accounts.query';
export { findOwnerSignatures, findTokenOwnerSignatures } from './owner-signatures.query';
export {
  type BranchPage,
  type BranchTransaction,
  findAmendedPage,
  findBranchPage,
  lastSlotBefore,
  type OwnerKeys,
  placeOf,
} from './branch-transactions.query';
export { BRANCH_BLOCKS, findProofState, type ProofState } from './branch-blocks.query';
export { findBlockSignatures } from './block-signatures.query';
export {
  findIndexOverview,
  findOperatorOverview,
  type IndexOverview,
  type OperatorOverview,
} from './index-overview.query';
export { findLeafPlaces, type LeafPlace } from './leaf-places.query';
export { findProofSlots, type ProofSlots } from './proof-slots.query';
export { READ_SETTINGS, Reader, type ReaderOptions } from './reader';
export { findChanges, findIndexAt, type IndexAt } from './revisions.query';
export { findLastTransactionId, findTransactionsFrom, type SampledTransaction } from './sampled-transactions.query';
export { type SignaturePage, type SignaturePosition, type SignatureRecord } from './signature-page';
export { findStoredTrees, type StoredTree } from './stored-trees.query';
export {
  findTokenAccounts,
  type TokenAccountKey,
  type TokenAccountPage,
  type TokenAccountPosition,
} from './token-accounts.query';
export { findTokenHolders, type HolderRecord } from './token-holders.query';
export { findIndexIdentity, readTransactionLog, type TransactionOfLog } from './transaction-log.query';
export { findTransaction, type TransactionRecord } from './transaction.query';
export { findTrees, findV2Trees, type TreeRecord } from './trees.query';
