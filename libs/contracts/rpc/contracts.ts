import { type AnyMethodContract } from './method-contract';
import {
  getCompressedAccount,
  getCompressedAccountV2,
  getMultipleCompressedAccounts,
  getMultipleCompressedAccountsV2,
} from './methods/account';
import { getAccountInterface, getMultipleAccountInterfaces } from './methods/account-interface';
import {
  getCompressedAccountProof,
  getCompressedAccountProofV2,
  getMultipleCompressedAccountProofs,
  getMultipleCompressedAccountProofsV2,
} from './methods/account-proof';
import { getCompressedAccountsByOwner, getCompressedAccountsByOwnerV2 } from './methods/accounts-by-owner';
import {
  getCompressedAccountBalance,
  getCompressedBalance,
  getCompressedBalanceByOwner,
  getCompressedTokenAccountBalance,
} from './methods/balance';
import { getIndexerHealth, getIndexerSlot, getIndexerStatus, liveness, readiness } from './methods/indexer';
import { getMultipleNewAddressProofs, getMultipleNewAddressProofsV2 } from './methods/new-address-proof';
import { getQueueElements, getQueueInfo, getQueueLeafIndices } from './methods/queue';
import {
  getCompressionSignaturesForAccount,
  getCompressionSignaturesForAddress,
  getCompressionSignaturesForOwner,
  getCompressionSignaturesForTokenOwner,
  getLatestCompressionSignatures,
  getLatestNonVotingSignatures,
} from './methods/signatures';
import {
  getCompressedTokenAccountsByDelegate,
  getCompressedTokenAccountsByDelegateV2,
  getCompressedTokenAccountsByOwner,
  getCompressedTokenAccountsByOwnerV2,
} from './methods/token-accounts';
import {
  getCompressedMintTokenHolders,
  getCompressedTokenBalancesByOwner,
  getCompressedTokenBalancesByOwnerV2,
} from './methods/token-balances';
import { rpcDiscover } from './methods/discover';
import { compressionSubscribe, compressionUnsubscribe } from './methods/subscription';
import { getTransactionWithCompressionInfo, getTransactionWithCompressionInfoV2 } from './methods/transaction';
import { getTreeStatus } from './methods/tree-status';
import { getValidityProof, getValidityProofV2 } from './methods/validity-proof';

/** All methods by name, in the order of the API documentation. */
export const CONTRACTS = {
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
  getTreeStatus,
  getIndexerSlot,
  getIndexerHealth,
  getIndexerStatus,
  liveness,
  readiness,
  'rpc.discover': rpcDiscover,
  compressionSubscribe,
  compressionUnsubscribe,
};

export type MethodName = keyof typeof CONTRACTS;

const ALL_CONTRACTS: readonly AnyMethodContract[] = Object.values(CONTRACTS);

/** Those that are called by POST. */
export const METHOD_CONTRACTS = ALL_CONTRACTS.filter(({ isOverWebSocket = false }) => !isOverWebSocket);

/** Those that are called over a WebSocket. */
export const WEBSOCKET_CONTRACTS = ALL_CONTRACTS.filter(({ isOverWebSocket = false }) => isOverWebSocket);
