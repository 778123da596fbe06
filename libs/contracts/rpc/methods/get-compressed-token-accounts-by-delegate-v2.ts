import { defineContract } from '../method-contract';
import { getCompressedTokenAccountsByDelegate } from './get-compressed-token-accounts-by-delegate';
import { getCompressedTokenAccountsByOwnerV2 } from './get-compressed-token-accounts-by-owner-v2';

export const getCompressedTokenAccountsByDelegateV2 = defineContract({
  ...getCompressedTokenAccountsByDelegate,
  name: 'getCompressedTokenAccountsByDelegateV2',
  summary: 'Like getCompressedTokenAccountsByDelegate, with accounts in the V2 form.',
  result: getCompressedTokenAccountsByOwnerV2.result,
  example: {
    params: getCompressedTokenAccountsByDelegate.example.params,
    result: getCompressedTokenAccountsByOwnerV2.example.result,
  },
});
