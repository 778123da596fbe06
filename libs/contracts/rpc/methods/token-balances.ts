import { type Pubkey } from '@fresnel/domain/primitives';
import { PAGE_COST } from '../cost';
import { defineContract, NOTHING_INDEXED } from '../method-contract';
import { readPubkey } from '../params/base58-values';
import { type HolderCursor, readHolderCursor, readMintCursor } from '../params/cursors';
import { readMembers, required } from '../params/members';
import { type Page, readPage } from '../params/page';
import { tokenListReader } from '../params/token-list';
import { withContext } from '../schemas/context';
import { MintBalanceList, MintBalanceListV2 } from '../schemas/mint-balance-list';
import { pagedParams, PAGING_NOTE } from '../schemas/paging';
import { PubkeyText } from '../schemas/scalars';
import { TokenHolderList } from '../schemas/token-holder-list';
import { EXAMPLE_TOKEN_DATA } from './example-values';
import { getCompressedTokenAccountsByOwner } from './token-accounts';

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

export interface TokenHoldersParams extends Page<HolderCursor> {
  mint: Pubkey;
}

export const getCompressedMintTokenHolders = defineContract({
  name: 'getCompressedMintTokenHolders',
  summary: 'The owners of compressed tokens of a mint and their balances, largest balance first.',
  description:
    `${PAGING_NOTE}Owners with balance 0 are not listed. Frozen accounts count. A holder whose balance changes between ` +
    'two requests can appear twice or not at all.',
  params: pagedParams({ mint: PubkeyText }),
  parseParams: (params): TokenHoldersParams => {
    const members = readMembers(params, 'params', ['mint', 'cursor', 'limit']);
    return { mint: required(members, 'mint', readPubkey), ...readPage(members, readHolderCursor) };
  },
  result: withContext(TokenHolderList),
  cost: PAGE_COST,
  errors: [
    { kind: 'invalidParams', when: 'mint is not base58 of 32 bytes, or cursor or limit is malformed' },
    NOTHING_INDEXED,
  ],
  example: {
    params: { mint: EXAMPLE_TOKEN_DATA.mint, limit: 10 },
    result: {
      context: { slot: 40 },
      value: { items: [{ owner: EXAMPLE_TOKEN_DATA.owner, balance: EXAMPLE_TOKEN_DATA.amount }], cursor: null },
    },
  },
});
