import { NODE_RPC, type NodeRpc } from '@fresnel/adapters/chain';
import { type Provider, type Type } from '@nestjs/common';
import { GATEWAY_OPTIONS, type GatewayOptions } from '../gateway.options';
import { ForwardedMethod } from './forwarded.method';
import { AccountInterfaces } from './account-interfaces';
import { GetAccountInterfaceMethod } from './get-account-interface.method';
import { GetCompressedAccountBalanceMethod } from './get-compressed-account-balance.method';
import { GetCompressedAccountV2Method } from './get-compressed-account-v2.method';
import { GetCompressedAccountMethod } from './get-compressed-account.method';
import { GetCompressedAccountsByOwnerV2Method } from './get-compressed-accounts-by-owner-v2.method';
import { GetCompressedAccountsByOwnerMethod } from './get-compressed-accounts-by-owner.method';
import { GetCompressedBalanceByOwnerMethod } from './get-compressed-balance-by-owner.method';
import { GetCompressedBalanceMethod } from './get-compressed-balance.method';
import { GetCompressedMintTokenHoldersMethod } from './get-compressed-mint-token-holders.method';
import { GetCompressedTokenAccountBalanceMethod } from './get-compressed-token-account-balance.method';
import { GetCompressedTokenAccountsByDelegateV2Method } from './get-compressed-token-accounts-by-delegate-v2.method';
import { GetCompressedTokenAccountsByDelegateMethod } from './get-compressed-token-accounts-by-delegate.method';
import { GetCompressedTokenAccountsByOwnerV2Method } from './get-compressed-token-accounts-by-owner-v2.method';
import { GetCompressedTokenAccountsByOwnerMethod } from './get-compressed-token-accounts-by-owner.method';
import { GetCompressedTokenBalancesByOwnerV2Method } from './get-compressed-token-balances-by-owner-v2.method';
import { GetCompressedTokenBalancesByOwnerMethod } from './get-compressed-token-balances-by-owner.method';
import { GetCompressionSignaturesForAccountMethod } from './get-compression-signatures-for-account.method';
import { GetCompressionSignaturesForAddressMethod } from './get-compression-signatures-for-address.method';
import { GetCompressionSignaturesForOwnerMethod } from './get-compression-signatures-for-owner.method';
import { GetCompressionSignaturesForTokenOwnerMethod } from './get-compression-signatures-for-token-owner.method';
import { GetIndexerHealthMethod } from './get-indexer-health.method';
import { GetIndexerSlotMethod } from './get-indexer-slot.method';
import { GetLatestCompressionSignaturesMethod } from './get-latest-compression-signatures.method';
import { GetLatestNonVotingSignaturesMethod } from './get-latest-non-voting-signatures.method';
import { GetMultipleAccountInterfacesMethod } from './get-multiple-account-interfaces.method';
import { GetMultipleCompressedAccountsV2Method } from './get-multiple-compressed-accounts-v2.method';
import { GetMultipleCompressedAccountsMethod } from './get-multiple-compressed-accounts.method';
import { GetMultipleNewAddressProofsV2Method } from './get-multiple-new-address-proofs-v2.method';
import { GetMultipleNewAddressProofsMethod } from './get-multiple-new-address-proofs.method';
import { GetTransactionWithCompressionInfoV2Method } from './get-transaction-with-compression-info-v2.method';
import { GetTransactionWithCompressionInfoMethod } from './get-transaction-with-compression-info.method';
import { GetCompressedAccountProofMethod } from './get-compressed-account-proof.method';
import { GetCompressedAccountProofV2Method } from './get-compressed-account-proof-v2.method';
import { GetMultipleCompressedAccountProofsMethod } from './get-multiple-compressed-account-proofs.method';
import { GetMultipleCompressedAccountProofsV2Method } from './get-multiple-compressed-account-proofs-v2.method';
import { GetValidityProofMethod } from './get-validity-proof.method';
import { GetValidityProofV2Method } from './get-validity-proof-v2.method';
import { GetQueueElementsMethod } from './get-queue-elements.method';
import { GetQueueInfoMethod } from './get-queue-info.method';
import { GetQueueLeafIndicesMethod } from './get-queue-leaf-indices.method';
import { LeafProver } from './leaf-prover';
import { LivenessMethod } from './liveness.method';
import { NewAddressProver } from './new-address-prover';
import { ProverOnBranch } from './prover-on-branch';
import { ReadinessMethod } from './readiness.method';
import { ValidityProofs } from './validity-proofs';
import { RPC_METHODS, type RpcMethod } from './rpc-method';

const METHODS: readonly Type<RpcMethod>[] = [
  GetCompressedAccountMethod,
  GetTransactionWithCompressionInfoMethod,
  GetCompressionSignaturesForOwnerMethod,
  GetCompressionSignaturesForTokenOwnerMethod,
  GetCompressedMintTokenHoldersMethod,
  GetMultipleNewAddressProofsMethod,
  GetCompressedAccountV2Method,
  GetTransactionWithCompressionInfoV2Method,
  GetMultipleNewAddressProofsV2Method,
  GetMultipleCompressedAccountsMethod,
  GetMultipleCompressedAccountsV2Method,
  GetCompressedAccountBalanceMethod,
  GetCompressedBalanceMethod,
  GetCompressedBalanceByOwnerMethod,
  GetCompressedTokenAccountBalanceMethod,
  GetCompressedTokenAccountsByOwnerMethod,
  GetCompressedTokenAccountsByOwnerV2Method,
  GetCompressedTokenAccountsByDelegateMethod,
  GetCompressedTokenAccountsByDelegateV2Method,
  GetCompressedTokenBalancesByOwnerMethod,
  GetCompressedTokenBalancesByOwnerV2Method,
  GetCompressedAccountsByOwnerMethod,
  GetCompressedAccountsByOwnerV2Method,
  GetCompressionSignaturesForAccountMethod,
  GetCompressionSignaturesForAddressMethod,
  GetLatestCompressionSignaturesMethod,
  GetLatestNonVotingSignaturesMethod,
  GetCompressedAccountProofMethod,
  GetCompressedAccountProofV2Method,
  GetMultipleCompressedAccountProofsMethod,
  GetMultipleCompressedAccountProofsV2Method,
  GetValidityProofMethod,
  GetValidityProofV2Method,
  GetAccountInterfaceMethod,
  GetMultipleAccountInterfacesMethod,
  GetQueueElementsMethod,
  GetQueueInfoMethod,
  GetQueueLeafIndicesMethod,
  GetIndexerSlotMethod,
  GetIndexerHealthMethod,
  LivenessMethod,
  ReadinessMethod,
];

/** All methods, and `RPC_METHODS` by which they are found. */
export const METHOD_PROVIDERS: readonly Provider[] = [
  ...METHODS,
  ProverOnBranch,
  NewAddressProver,
  LeafProver,
  ValidityProofs,
  AccountInterfaces,
  {
    provide: RPC_METHODS,
    inject: [GATEWAY_OPTIONS, NODE_RPC, ...METHODS],
    useFactory: (
      { UPSTREAM_RPC_PASSTHROUGH: forwardedMethods }: GatewayOptions,
      node: NodeRpc | null,
      ...methods: RpcMethod[]
    ): ReadonlyMap<string, RpcMethod> => {
      const forwarded =
        node && forwardedMethods
          ? [
              ...forwardedMethods.always.map((name) => new ForwardedMethod(name, node)),
              ...forwardedMethods.onPrivateChains.map((name) => new ForwardedMethod(name, node, true)),
            ]
          : [];
      return new Map([...forwarded, ...methods].map((method) => [method.name, method]));
    },
  },
];
