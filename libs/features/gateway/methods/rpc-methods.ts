import { getCompressedAccountMethod } from './get-compressed-account.method';
import { getCompressedAccountV2Method } from './get-compressed-account-v2.method';
import { getCompressedMintTokenHoldersMethod } from './get-compressed-mint-token-holders.method';
import { getCompressionSignaturesForOwnerMethod } from './get-compression-signatures-for-owner.method';
import { getCompressionSignaturesForTokenOwnerMethod } from './get-compression-signatures-for-token-owner.method';
import { getIndexerHealthMethod } from './get-indexer-health.method';
import { getIndexerSlotMethod } from './get-indexer-slot.method';
import { getMultipleNewAddressProofsMethod } from './get-multiple-new-address-proofs.method';
import { getMultipleNewAddressProofsV2Method } from './get-multiple-new-address-proofs-v2.method';
import { getTransactionWithCompressionInfoMethod } from './get-transaction-with-compression-info.method';
import { getTransactionWithCompressionInfoV2Method } from './get-transaction-with-compression-info-v2.method';
import { type RpcMethod } from './method';

/** Every method by its name. */
export const RPC_METHODS: ReadonlyMap<string, RpcMethod> = new Map(
  [
    getCompressedAccountMethod,
    getTransactionWithCompressionInfoMethod,
    getCompressionSignaturesForOwnerMethod,
    getCompressionSignaturesForTokenOwnerMethod,
    getCompressedMintTokenHoldersMethod,
    getMultipleNewAddressProofsMethod,
    getCompressedAccountV2Method,
    getTransactionWithCompressionInfoV2Method,
    getMultipleNewAddressProofsV2Method,
    getIndexerSlotMethod,
    getIndexerHealthMethod,
  ].map((method) => [method.name, method]),
);
