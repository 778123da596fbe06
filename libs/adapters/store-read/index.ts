export { findAccount } from './account.query';
export { type AccountRecord } from './account-record';
export { StoreUnavailableError } from '@fresnel/adapters/store-schema';
export { NothingIndexedError } from './errors';
export { findIndexedSlot, findIndexerStatus, type IndexerStatus } from './indexer-status.query';
export {
  findOwnerSignatures,
  findTokenOwnerSignatures,
  type SignaturePage,
  type SignaturePosition,
  type SignatureRecord,
} from './owner-signatures.query';
export { findProofSlots, type ProofSlots } from './proof-slots.query';
export { Reader, type ReaderOptions } from './reader';
export { findTokenHolders, type HolderPage, type HolderRecord } from './token-holders.query';
export { findTransaction, type TransactionRecord } from './transaction.query';
