import { type AnyMethodContract } from './method-contract';
import { getAccountInterface } from './methods/get-account-interface';
import { getCompressedAccount } from './methods/get-compressed-account';
import { getCompressedAccountBalance } from './methods/get-compressed-account-balance';
import { getCompressedAccountV2 } from './methods/get-compressed-account-v2';
import { getCompressedAccountsByOwner } from './methods/get-compressed-accounts-by-owner';
import { getCompressedAccountsByOwnerV2 } from './methods/get-compressed-accounts-by-owner-v2';
import { getCompressedBalance } from './methods/get-compressed-balance';
import { getCompressedBalanceByOwner } from './methods/get-compressed-balance-by-owner';
import { getCompressedMintTokenHolders } from './methods/get-compressed-mint-token-holders';
import { getCompressedTokenAccountBalance } from './methods/get-compressed-token-account-balance';
import { getCompressedTokenAccountsByDelegate } from './methods/get-compressed-token-accounts-by-delegate';
import { getCompressedTokenAccountsByDelegateV2 } from './methods/get-compressed-token-accounts-by-delegate-v2';
import { getCompressedTokenAccountsByOwner } from './methods/get-compressed-token-accounts-by-owner';
import { getCompressedTokenAccountsByOwnerV2 } from './methods/get-compressed-token-accounts-by-owner-v2';
import { getCompressedTokenBalancesByOwner } from './methods/get-compressed-token-balances-by-owner';
import { getCompressedTokenBalancesByOwnerV2 } from './methods/get-compressed-token-balances-by-owner-v2';
import { getCompressionSignaturesForAccount } from './methods/get-compression-signatures-for-account';
import { getCompressionSignaturesForAddress } from './methods/get-compression-signatures-for-address';
import { getCompressionSignaturesForOwner } from './methods/get-compression-signatures-for-owner';
import { getCompressionSignaturesForTokenOwner } from './methods/get-compression-signatures-for-token-owner';
import { getIndexerHealth } from './methods/get-indexer-health';
import { getIndexerSlot } from './methods/get-indexer-slot';
import { getLatestCompressionSignatures } from './methods/get-latest-compression-signatures';
import { getLatestNonVotingSignatures } from './methods/get-latest-non-voting-signatures';
import { getMultipleAccountInterfaces } from './methods/get-multiple-account-interfaces';
import { getMultipleCompressedAccounts } from './methods/get-multiple-compressed-accounts';
import { getMultipleCompressedAccountsV2 } from './methods/get-multiple-compressed-accounts-v2';
import { getMultipleNewAddressProofs } from './methods/get-multiple-new-address-proofs';
import { getMultipleNewAddressProofsV2 } from './methods/get-multiple-new-address-proofs-v2';
import { getTransactionWithCompressionInfo } from './methods/get-transaction-with-compression-info';
import { getTransactionWithCompressionInfoV2 } from './methods/get-transaction-with-compression-info-v2';
import { getCompressedAccountProof } from './methods/get-compressed-account-proof';
import { getCompressedAccountProofV2 } from './methods/get-compressed-account-proof-v2';
import { getMultipleCompressedAccountProofs } from './methods/get-multiple-compressed-account-proofs';
import { getMultipleCompressedAccountProofsV2 } from './methods/get-multiple-compressed-account-proofs-v2';
import { getValidityProof } from './methods/get-validity-proof';
import { getValidityProofV2 } from './methods/get-validity-proof-v2';
import { getQueueElements } from './methods/get-queue-elements';
import { getQueueInfo } from './methods/get-queue-info';
import { getQueueLeafIndices } from './methods/get-queue-leaf-indices';
import { liveness } from './methods/liveness';
import { readiness } from './methods/readiness';

/** All methods in the order of the API documentation. */
export const METHOD_CONTRACTS: readonly AnyMethodContract[] = [
  getCompressedAccount,
  getTransactionWithCompressionInfo,
  getCompressionSignaturesForOwner,
  getCompressionSignaturesForTokenOwner,
  getCompressedMintTokenHolders,
  getMultipleNewAddressProofs,
  getCompressedAccountV2,
  getTransactionWithCompressionInfoV2,
  getMultipleNewAddressProofsV2,
  getMultipleCompressedAccounts,
  getMultipleCompressedAccountsV2,
  getCompressedAccountBalance,
  getCompressedBalance,
  getCompressedBalanceByOwner,
  getCompressedTokenAccountBalance,
  getCompressedTokenAccountsByOwner,
  getCompressedTokenAccountsByOwnerV2,
  getCompressedTokenAccountsByDelegate,
  getCompressedTokenAccountsByDelegateV2,
  getCompressedTokenBalancesByOwner,
  getCompressedTokenBalancesByOwnerV2,
  getCompressedAccountsByOwner,
  getCompressedAccountsByOwnerV2,
  getCompressionSignaturesForAccount,
  getCompressionSignaturesForAddress,
  getLatestCompressionSignatures,
  getLatestNonVotingSignatures,
  getCompressedAccountProof,
  getCompressedAccountProofV2,
  getMultipleCompressedAccountProofs,
  getMultipleCompressedAccountProofsV2,
  getValidityProof,
  getValidityProofV2,
  getAccountInterface,
  getMultipleAccountInterfaces,
  getQueueElements,
  getQueueInfo,
  getQueueLeafIndices,
  getIndexerSlot,
  getIndexerHealth,
  liveness,
  readiness,
];
