import { defineContract } from '../method-contract';
import { withContext } from '../schemas/context';
import { MintBalanceListV2 } from '../schemas/mint-balance-list';
import { getCompressedTokenBalancesByOwner } from './get-compressed-token-balances-by-owner';

const { context, value } = getCompressedTokenBalancesByOwner.example.result;

export const getCompressedTokenBalancesByOwnerV2 = defineContract({
  ...getCompressedTokenBalancesByOwner,
  name: 'getCompressedTokenBalancesByOwnerV2',
  summary: 'The sum of the compressed tokens of a wallet for each mint, or for one.',
  result: withContext(MintBalanceListV2),
  example: {
    params: getCompressedTokenBalancesByOwner.example.params,
    result: { context, value: { items: value.token_balances, cursor: null } },
  },
});
