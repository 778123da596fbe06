import { keyOf } from '@fresnel/domain/primitives';
import { Type } from 'typebox';
import { NEW_ADDRESS_COST } from '../cost';
import { defineContract } from '../method-contract';
import { type AddressWithTree, readAddressWithTree } from '../params/address-with-tree';
import { readAddressList } from '../params/addresses';
import { InvalidParamsError } from '../params/invalid-params.error';
import { closedObject } from '../schemas/closed-object';
import { MAX_ADDRESSES, MAX_TREES, NewAddressProofList } from '../schemas/new-address-proof';
import { PubkeyText } from '../schemas/scalars';
import { getMultipleNewAddressProofs, PROOF_ERRORS } from './get-multiple-new-address-proofs';

export const getMultipleNewAddressProofsV2 = defineContract({
  name: 'getMultipleNewAddressProofsV2',
  summary: 'Proofs that each address is not in its given address tree, in the order of the request.',
  description: `A request may name up to ${MAX_TREES} trees. All proofs of one tree have the same root.`,
  params: Type.Array(closedObject({ address: PubkeyText, tree: PubkeyText }), { minItems: 1, maxItems: MAX_ADDRESSES }),
  parseParams: (params): AddressWithTree[] => {
    const requests = readAddressList(params, 'addresses with trees', readAddressWithTree);
    const trees = new Set(requests.map(({ tree }) => keyOf(tree))).size;
    if (trees > MAX_TREES) throw new InvalidParamsError(`params must name at most ${MAX_TREES} trees, not ${trees}`);
    return requests;
  },
  result: NewAddressProofList,
  cost: NEW_ADDRESS_COST,
  errors: [...PROOF_ERRORS, { kind: 'invalidParams', when: `params name more than ${MAX_TREES} trees` }],
  example: {
    params: getMultipleNewAddressProofs.example.result.value.map(({ address, merkleTree }) => ({
      address,
      tree: merkleTree,
    })),
    result: getMultipleNewAddressProofs.example.result,
  },
});
