import { type Hash, keyOf } from '@fresnel/domain/primitives';
import { Type } from 'typebox';
import { NEW_ADDRESS_COST } from '../cost';
import { defineContract, type MethodError } from '../method-contract';
import { type AddressWithTree, readAddressWithTree } from '../params/address-with-tree';
import { readAddressList, readNewAddress } from '../params/addresses';
import { InvalidParamsError } from '../params/invalid-params.error';
import { closedObject } from '../schemas/closed-object';
import { MAX_ADDRESSES, MAX_TREES, NewAddressProofList } from '../schemas/new-address-proof';
import { PubkeyText } from '../schemas/scalars';

/** Shortened: a tree of height 26 has 26 siblings. */
const EXAMPLE_PROOF = ['34cMT7MjFrs8hLp2zHMrPJHKkUxBDBwBTNck77wLjjcY', '3CFKteYSRSkp9EGFPzibgzCPtNuJ5HeZ31fAsBpgcHwZ'];
const EXAMPLE_ADDRESS = '12nCKqGG85jHxbTeA8i2Z7D4vnNUUrQ4r5e8dv2o16X';

const PROOF_ERRORS: readonly MethodError[] = [
  {
    kind: 'invalidParams',
    when: `params is not an array of 1 to ${MAX_ADDRESSES} addresses, or an address is not below 2^248-1`,
  },
  {
    kind: 'stateError',
    when: 'an address is already in the tree or its queue, the tree is unknown or unservable, or nothing is indexed yet',
  },
];

export const getMultipleNewAddressProofs = defineContract({
  name: 'getMultipleNewAddressProofs',
  summary: 'Proofs that addresses are not in the default address tree, in the order of the request.',
  description: 'All proofs of a response have the same root; rootSeq is its sequence number on the chain.',
  params: Type.Array(PubkeyText, { minItems: 1, maxItems: MAX_ADDRESSES }),
  positions: ['address'],
  parseParams: (params): Hash[] => readAddressList(params, 'addresses', readNewAddress),
  result: NewAddressProofList,
  cost: NEW_ADDRESS_COST,
  errors: PROOF_ERRORS,
  example: {
    params: [EXAMPLE_ADDRESS],
    result: {
      context: { slot: 100 },
      value: [
        {
          address: EXAMPLE_ADDRESS,
          lowerRangeAddress: '11111111111111111111111111111111',
          higherRangeAddress: '14uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofL',
          lowElementLeafIndex: 0,
          nextIndex: 1,
          merkleTree: 'amt1Ayt45jfbdw5YSo7iz6WZxUmnZsQTYXy82hVwyC2',
          proof: EXAMPLE_PROOF,
          root: '3FrGzyXtjqjnukHDS2M5oyVj8tMVcHSahcHpWBGR5MHY',
          rootSeq: 3n,
        },
      ],
    },
  },
});

export const getMultipleNewAddressProofsV2 = defineContract({
  name: 'getMultipleNewAddressProofsV2',
  summary: 'Proofs that each address is not in its given address tree, in the order of the request.',
  description: `A request may name up to ${MAX_TREES} trees. All proofs of one tree have the same root.`,
  params: Type.Array(closedObject({ address: PubkeyText, tree: PubkeyText }), { minItems: 1, maxItems: MAX_ADDRESSES }),
  positions: ['addressWithTree'],
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
