import { CONTRACTS } from '@fresnel/contracts/rpc';
import { presentValidityProof, presentValidityProofV2 } from '../present/validity-proof.presenter';
import { compileSerializer } from '../responses/compile-serializer';
import { defineMethod } from './define-method';
import { requireAppended, requireUnspent } from './require-places';
import { ValidityProofs } from './validity-proofs';

export const VALIDITY_PROOF_METHODS = [
  defineMethod(ValidityProofs, CONTRACTS.getValidityProof, ({ DEFAULT_ADDRESS_TREE: tree }) => {
    const toJson = compileSerializer(CONTRACTS.getValidityProof.result);
    return async (proofs, { hashes, addresses, defaultTreeAddresses }, context) => {
      const requests = [...addresses, ...defaultTreeAddresses.map((address) => ({ address, tree }))];
      const { slot, proof, ...proven } = await proofs.prove(hashes, requests, requireAppended, context);
      if (!proof) throw new Error('a request without accounts in an output queue has a proof');
      const value = presentValidityProof(proof, proven.accounts, proven.addresses);
      return toJson({ context: { slot }, value });
    };
  }),
  defineMethod(ValidityProofs, CONTRACTS.getValidityProofV2, () => {
    const toJson = compileSerializer(CONTRACTS.getValidityProofV2.result);
    return async (proofs, { hashes, addresses }, context) => {
      const { slot, proof, ...proven } = await proofs.prove(hashes, addresses, requireUnspent, context);
      const value = presentValidityProofV2(proof, proven.accounts, proven.addresses);
      return toJson({ context: { slot }, value });
    };
  }),
];
