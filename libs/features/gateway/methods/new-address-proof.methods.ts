import { CONTRACTS } from '@fresnel/contracts/rpc';
import { defineMethod } from './define-method';
import { NewAddressProver } from './new-address-prover';

export const NEW_ADDRESS_PROOF_METHODS = [
  defineMethod(NewAddressProver, CONTRACTS.getMultipleNewAddressProofs, ({ DEFAULT_ADDRESS_TREE: tree }) => {
    return (prover, addresses, context) =>
      prover.prove(
        addresses.map((address) => ({ address, tree })),
        context,
      );
  }),
  defineMethod(
    NewAddressProver,
    CONTRACTS.getMultipleNewAddressProofsV2,
    () => (prover, addresses, context) => prover.prove(addresses, context),
  ),
];
