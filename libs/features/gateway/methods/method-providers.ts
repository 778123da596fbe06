import { NodeRpc } from '@fresnel/adapters/chain';
import { type Provider, type Type } from '@nestjs/common';
import { GATEWAY_OPTIONS, type GatewayOptions } from '../gateway.options';
import { ForwardedMethod } from './forwarded.method';
import { AccountInterfaces } from './account-interfaces';
import { LeafProver } from './leaf-prover';
import { NewAddressProver } from './new-address-prover';
import { ProverOnBranch } from './prover-on-branch';
import { ValidityProofs } from './validity-proofs';
import { RawTransactions } from './raw-transactions';
import { type RpcMethod, RpcMethods } from './rpc-method';
import { ACCOUNT_METHODS } from './account.methods';
import { ACCOUNT_INTERFACE_METHODS } from './account-interface.methods';
import { ACCOUNT_PROOF_METHODS } from './account-proof.methods';
import { BALANCE_METHODS } from './balance.methods';
import { INDEXER_METHODS } from './indexer.methods';
import { NEW_ADDRESS_PROOF_METHODS } from './new-address-proof.methods';
import { SIGNATURE_METHODS } from './signature.methods';
import { TOKEN_ACCOUNT_METHODS } from './token-account.methods';
import { TRANSACTION_METHODS } from './transaction.methods';
import { VALIDITY_PROOF_METHODS } from './validity-proof.methods';
import { GetQueueElementsMethod } from './get-queue-elements.method';
import { GetQueueInfoMethod } from './get-queue-info.method';
import { GetQueueLeafIndicesMethod } from './get-queue-leaf-indices.method';

const METHODS: readonly Type<RpcMethod>[] = [
  ...ACCOUNT_METHODS,
  ...ACCOUNT_INTERFACE_METHODS,
  ...ACCOUNT_PROOF_METHODS,
  ...BALANCE_METHODS,
  ...INDEXER_METHODS,
  ...NEW_ADDRESS_PROOF_METHODS,
  ...SIGNATURE_METHODS,
  ...TOKEN_ACCOUNT_METHODS,
  ...TRANSACTION_METHODS,
  ...VALIDITY_PROOF_METHODS,
  GetQueueElementsMethod,
  GetQueueInfoMethod,
  GetQueueLeafIndicesMethod,
];

/** All methods, and `RpcMethods` by which they are found. */
export const METHOD_PROVIDERS: readonly Provider[] = [
  ...METHODS,
  ProverOnBranch,
  NewAddressProver,
  LeafProver,
  ValidityProofs,
  AccountInterfaces,
  RawTransactions,
  {
    provide: RpcMethods,
    inject: [GATEWAY_OPTIONS, NodeRpc, ...METHODS],
    useFactory: (
      { UPSTREAM_RPC_PASSTHROUGH: forwardedMethods }: GatewayOptions,
      node: NodeRpc | null,
      ...methods: RpcMethod[]
    ) => {
      const forwarded =
        node && forwardedMethods
          ? [
              ...forwardedMethods.always.map((name) => new ForwardedMethod(name, node)),
              ...forwardedMethods.onPrivateChains.map((name) => new ForwardedMethod(name, node, true)),
            ]
          : [];
      return new RpcMethods([...forwarded, ...methods].map((method) => [method.name, method]));
    },
  },
];
