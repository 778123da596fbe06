import { defineContract } from '../method-contract';
import { readMintCursor } from '../params/cursors';
import { tokenListReader } from '../params/token-list';
import { withContext } from '../schemas/context';
import { MintBalanceList } from '../schemas/mint-balance-list';
import { PAGING_NOTE } from '../schemas/paging';
import { EXAMPLE_TOKEN_DATA } from './example-values';
import { getCompressedTokenAccountsByOwner } from './get-compressed-token-accounts-by-owner';

const { mint, amount: balance } = EXAMPLE_TOKEN_DATA;

export const getCompressedTokenBalancesByOwner = defineContract({
  ...getCompressedTokenAccountsByOwner,
  name: 'getCompressedTokenBalancesByOwner',
  summary:
    'The sum of the compressed tokens of a wallet for each mint, or for one. Use V2, whose list has the usual name.',
  description: `${PAGING_NOTE}Mints with balance 0 are not listed. Frozen accounts count.`,
  parseParams: tokenListReader('owner', readMintCursor),
  result: withContext(MintBalanceList),
  example: {
    params: getCompressedTokenAccountsByOwner.example.params,
    result: { context: { slot: 40 }, value: { token_balances: [{ mint, balance }], cursor: null } },
  },
});
