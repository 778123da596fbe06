import { type LeafPlace } from '@fresnel/adapters/store-read';
import { AccountProof, AccountProofV2, CONTRACTS, type MethodContract } from '@fresnel/contracts/rpc';
import { type Hash } from '@fresnel/domain/primitives';
import { type Static, type TSchema } from 'typebox';
import { accountProofPresenter, accountProofV2Presenter, type ProvenLeaf } from '../present/account-proof.presenter';
import { compileSerializer } from '../responses/compile-serializer';
import { compileListSerializer, contextText } from '../responses/list-text';
import { defineMethod } from './define-method';
import { LeafProver } from './leaf-prover';
import { acceptAll, requireAppended } from './require-places';

/** What the versions of a proof differ in. */
interface ProofParts<Schema extends TSchema> {
  /** Schema of a proof. */
  item: Schema;
  /** Throws for accounts that the method does not prove. */
  requirePlaces: (places: readonly LeafPlace[]) => void;
  /** Creates a presenter of the proofs of one response. */
  createPresenter: () => (leaf: ProvenLeaf) => Static<Schema>;
}

const V1 = { item: AccountProof, requirePlaces: requireAppended, createPresenter: accountProofPresenter };
const V2 = { item: AccountProofV2, requirePlaces: acceptAll, createPresenter: accountProofV2Presenter };

export const ACCOUNT_PROOF_METHODS = [
  defineProofMethod(CONTRACTS.getCompressedAccountProof, V1),
  defineProofMethod(CONTRACTS.getCompressedAccountProofV2, V2),
  defineProofsMethod(CONTRACTS.getMultipleCompressedAccountProofs, V1),
  defineProofsMethod(CONTRACTS.getMultipleCompressedAccountProofsV2, V2),
];

/** Defines a method that returns one proof. */
function defineProofMethod<Schema extends TSchema>(
  contract: MethodContract<{ hash: Hash }, TSchema>,
  { item, requirePlaces, createPresenter }: ProofParts<Schema>,
) {
  return defineMethod(LeafProver, contract, () => {
    const toJson = compileSerializer(item);
    return async (prover, { hash }, context) => {
      const { slot, items } = await prover.prove([hash], requirePlaces, context);
      return contextText(slot, toJson(createPresenter()(items[0])));
    };
  });
}

/** Defines a method that returns a list of proofs. */
function defineProofsMethod<Schema extends TSchema>(
  contract: MethodContract<Hash[], TSchema>,
  { item, requirePlaces, createPresenter }: ProofParts<Schema>,
) {
  return defineMethod(LeafProver, contract, () => {
    const toItemsJson = compileListSerializer(item);
    return async (prover, hashes, context) => {
      const { slot, items } = await prover.prove(hashes, requirePlaces, context);
      return contextText(slot, await toItemsJson(items, createPresenter()));
    };
  });
}
