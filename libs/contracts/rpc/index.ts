export { METHOD_CONTRACTS } from './contracts';
export { bodyPoints, type Cost, NODE_COST } from './cost';
export { type AnyMethodContract, type MethodContract } from './method-contract';
export { getAccountInterface } from './methods/get-account-interface';
export { getCompressedAccount } from './methods/get-compressed-account';
export { getCompressedAccountBalance } from './methods/get-compressed-account-balance';
export { getCompressedAccountV2 } from './methods/get-compressed-account-v2';
export { getCompressedAccountsByOwner, type OwnerAccountsParams } from './methods/get-compressed-accounts-by-owner';
export { getCompressedAccountsByOwnerV2 } from './methods/get-compressed-accounts-by-owner-v2';
export { getCompressedBalance } from './methods/get-compressed-balance';
export { getCompressedBalanceByOwner } from './methods/get-compressed-balance-by-owner';
export { getCompressedMintTokenHolders } from './methods/get-compressed-mint-token-holders';
export { getCompressedTokenAccountBalance } from './methods/get-compressed-token-account-balance';
export { getCompressedTokenAccountsByDelegate } from './methods/get-compressed-token-accounts-by-delegate';
export { getCompressedTokenAccountsByDelegateV2 } from './methods/get-compressed-token-accounts-by-delegate-v2';
export { getCompressedTokenAccountsByOwner } from './methods/get-compressed-token-accounts-by-owner';
export { getCompressedTokenAccountsByOwnerV2 } from './methods/get-compressed-token-accounts-by-owner-v2';
export { getCompressedTokenBalancesByOwner } from './methods/get-compressed-token-balances-by-owner';
export { getCompressedTokenBalancesByOwnerV2 } from './methods/get-compressed-token-balances-by-owner-v2';
export { getCompressionSignaturesForAccount } from './methods/get-compression-signatures-for-account';
export { getCompressionSignaturesForAddress } from './methods/get-compression-signatures-for-address';
export { getCompressionSignaturesForOwner } from './methods/get-compression-signatures-for-owner';
export { getCompressionSignaturesForTokenOwner } from './methods/get-compression-signatures-for-token-owner';
export { getIndexerHealth } from './methods/get-indexer-health';
export { getIndexerSlot } from './methods/get-indexer-slot';
export { getLatestCompressionSignatures } from './methods/get-latest-compression-signatures';
export { getLatestNonVotingSignatures, NonVotingSignature } from './methods/get-latest-non-voting-signatures';
export { getMultipleAccountInterfaces } from './methods/get-multiple-account-interfaces';
export { getMultipleCompressedAccounts } from './methods/get-multiple-compressed-accounts';
export { getMultipleCompressedAccountsV2 } from './methods/get-multiple-compressed-accounts-v2';
export { getMultipleNewAddressProofs } from './methods/get-multiple-new-address-proofs';
export { getMultipleNewAddressProofsV2 } from './methods/get-multiple-new-address-proofs-v2';
export { getTransactionWithCompressionInfo } from './methods/get-transaction-with-compression-info';
export { getTransactionWithCompressionInfoV2 } from './methods/get-transaction-with-compression-info-v2';
export { getCompressedAccountProof } from './methods/get-compressed-account-proof';
export { getCompressedAccountProofV2 } from './methods/get-compressed-account-proof-v2';
export { getMultipleCompressedAccountProofs } from './methods/get-multiple-compressed-account-proofs';
export { getMultipleCompressedAccountProofsV2 } from './methods/get-multiple-compressed-account-proofs-v2';
export { getValidityProof } from './methods/get-validity-proof';
export { getValidityProofV2 } from './methods/get-validity-proof-v2';
export { liveness } from './methods/liveness';
export { readiness } from './methods/readiness';
export { createOpenApi } from './openapi/openapi';
export {
  encodeAccountCursor,
  encodeHolderCursor,
  encodeMintCursor,
  encodeSignatureCursor,
  encodeTokenAccountCursor,
} from './params/cursors';
export { type DataSlice } from './params/data-filters';
export { type AddressWithTree } from './params/address-with-tree';
export { InvalidParamsError } from './params/invalid-params.error';
export { type Page } from './params/page';
export { RPC_ERRORS, type RpcErrorKind, type RpcErrorName } from './rpc-errors';
export { Account } from './schemas/account';
export { AccountInterface, FoundAccountInterface, SolanaAccount } from './schemas/account-interface';
export { AccountProof, AccountProofV2 } from './schemas/account-proof';
export { FoundAccount, FoundAccountV2 } from './schemas/account-list';
export { AccountV2 } from './schemas/account-v2';
export { CompressionInfo, CompressionInfoV2, type TokenBalance } from './schemas/compression-info';
export { MAX_ADDRESSES, NewAddressProofItem } from './schemas/new-address-proof';
export { MintBalance } from './schemas/mint-balance-list';
export { TokenAccount, TokenAccountV2 } from './schemas/token-account-list';
export { TokenHolder } from './schemas/token-holder-list';
export { type TokenDataObject } from './schemas/token-data';
export { type ValidityProofParams } from './params/validity-proof';
export { type ValidityProofV2Value, type ValidityProofValue } from './schemas/validity-proof';
export { SignatureItem } from './schemas/signature-list';
