import { type Pubkey } from '@fresnel/domain/primitives';
import { FILTERED_PAGE_COST } from '../cost';
import { defineContract, NOTHING_INDEXED } from '../method-contract';
import { readPubkey } from '../params/base58-values';
import { type AccountCursor, readAccountCursor } from '../params/cursors';
import { type DataFilter, type DataSlice, readDataSlice, readFilters } from '../params/data-filters';
import { optional, readMembers, required } from '../params/members';
import { type Page, readPage } from '../params/page';
import { AccountPage, AccountPageV2 } from '../schemas/account-page';
import { withContext } from '../schemas/context';
import { MAX_FILTERS, OptionalDataSlice, OptionalFilters } from '../schemas/data-filters';
import { pagedParams, PAGING_NOTE } from '../schemas/paging';
import { PubkeyText } from '../schemas/scalars';
import { EXAMPLE_ACCOUNT, EXAMPLE_ACCOUNT_V2 } from './example-values';

export interface OwnerAccountsParams extends Page<AccountCursor> {
  owner: Pubkey;
  filters: DataFilter[];
  /** Null: all data. */
  dataSlice: DataSlice | null;
}

export const getCompressedAccountsByOwner = defineContract({
  name: 'getCompressedAccountsByOwner',
  summary: 'The unspent compressed accounts of a program or a wallet, by leaf index.',
  description:
    `${PAGING_NOTE}Accounts without data match no filter. A slice changes the returned data only, not their hash. ` +
    'The owner of a token account is the token program: for the tokens of a wallet use getCompressedTokenAccountsByOwner.',
  params: pagedParams({ owner: PubkeyText, filters: OptionalFilters, dataSlice: OptionalDataSlice }),
  parseParams: (params): OwnerAccountsParams => {
    const members = readMembers(params, 'params', ['owner', 'filters', 'dataSlice', 'cursor', 'limit']);
    return {
      owner: required(members, 'owner', readPubkey),
      filters: optional(members, 'filters', readFilters) ?? [],
      dataSlice: optional(members, 'dataSlice', readDataSlice),
      ...readPage(members, readAccountCursor),
    };
  },
  result: withContext(AccountPage),
  cost: FILTERED_PAGE_COST,
  errors: [
    {
      kind: 'invalidParams',
      when: `owner is not base58 of 32 bytes, there are more than ${MAX_FILTERS} filters, or a filter, dataSlice, cursor or limit is malformed`,
    },
    { kind: 'stateError', when: 'filters are given and the owner has more than a million accounts' },
    NOTHING_INDEXED,
  ],
  example: {
    params: {
      owner: EXAMPLE_ACCOUNT.owner,
      filters: [{ memcmp: { offset: 0, bytes: '2U35cKS3Cj2xs5EBdByXYU7LaKAitqjSZc1Jnvu4iPf4' } }],
      limit: 10,
    },
    result: { context: { slot: 40 }, value: { items: [EXAMPLE_ACCOUNT], cursor: null } },
  },
});

export const getCompressedAccountsByOwnerV2 = defineContract({
  ...getCompressedAccountsByOwner,
  name: 'getCompressedAccountsByOwnerV2',
  summary: 'Like getCompressedAccountsByOwner, with accounts in the V2 form.',
  result: withContext(AccountPageV2),
  example: {
    params: getCompressedAccountsByOwner.example.params,
    result: { context: { slot: 40 }, value: { items: [EXAMPLE_ACCOUNT_V2], cursor: null } },
  },
});
