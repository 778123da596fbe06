import { Type } from 'typebox';
import { PAGE_COST } from '../cost';
import { defineContract, NOTHING_INDEXED } from '../method-contract';
import { readTokenAccountCursor } from '../params/cursors';
import { tokenListReader } from '../params/token-list';
import { withContext } from '../schemas/context';
import { pagedParams, PAGING_NOTE } from '../schemas/paging';
import { nullable, PubkeyText } from '../schemas/scalars';
import { TokenAccountList, TokenAccountListV2 } from '../schemas/token-account-list';
import { EXAMPLE_ACCOUNT, EXAMPLE_ACCOUNT_V2, EXAMPLE_TOKEN_DATA } from './example-values';

export const getCompressedTokenAccountsByOwner = defineContract({
  name: 'getCompressedTokenAccountsByOwner',
  summary: 'The unspent compressed token accounts of a wallet, of all mints or of one.',
  description: PAGING_NOTE,
  params: pagedParams({ owner: PubkeyText, mint: Type.Optional(nullable(PubkeyText)) }),
  parseParams: tokenListReader('owner', readTokenAccountCursor),
  result: withContext(TokenAccountList),
  cost: PAGE_COST,
  errors: [
    { kind: 'invalidParams', when: 'owner or mint is not base58 of 32 bytes, or cursor or limit is malformed' },
    NOTHING_INDEXED,
  ],
  example: {
    params: { owner: EXAMPLE_TOKEN_DATA.owner, mint: EXAMPLE_TOKEN_DATA.mint, limit: 10 },
    result: {
      context: { slot: 40 },
      value: { items: [{ account: EXAMPLE_ACCOUNT, tokenData: EXAMPLE_TOKEN_DATA }], cursor: null },
    },
  },
});

export const getCompressedTokenAccountsByOwnerV2 = defineContract({
  ...getCompressedTokenAccountsByOwner,
  name: 'getCompressedTokenAccountsByOwnerV2',
  summary: 'Like getCompressedTokenAccountsByOwner, with accounts in the V2 form.',
  result: withContext(TokenAccountListV2),
  example: {
    params: getCompressedTokenAccountsByOwner.example.params,
    result: {
      context: { slot: 40 },
      value: { items: [{ account: EXAMPLE_ACCOUNT_V2, tokenData: EXAMPLE_TOKEN_DATA }], cursor: null },
    },
  },
});

const DELEGATE = EXAMPLE_TOKEN_DATA.mint;

export const getCompressedTokenAccountsByDelegate = defineContract({
  name: 'getCompressedTokenAccountsByDelegate',
  summary: 'The unspent compressed token accounts that a delegate may spend, of all mints or of one.',
  description: PAGING_NOTE,
  params: pagedParams({ delegate: PubkeyText, mint: Type.Optional(nullable(PubkeyText)) }),
  parseParams: tokenListReader('delegate', readTokenAccountCursor),
  result: withContext(TokenAccountList),
  cost: PAGE_COST,
  errors: [
    { kind: 'invalidParams', when: 'delegate or mint is not base58 of 32 bytes, or cursor or limit is malformed' },
    NOTHING_INDEXED,
  ],
  example: {
    params: { delegate: DELEGATE, limit: 10 },
    result: {
      context: { slot: 40 },
      value: {
        items: [{ account: EXAMPLE_ACCOUNT, tokenData: { ...EXAMPLE_TOKEN_DATA, delegate: DELEGATE } }],
        cursor: null,
      },
    },
  },
});

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
