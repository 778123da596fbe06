import { findTokenHolders } from '@fresnel/adapters/store-read';
import { encodeHolderCursor, getCompressedMintTokenHolders, TokenHolder } from '@fresnel/contracts/rpc';
import { presentHolder } from '../present/token-holder.presenter';
import { definePageMethod } from './define-method';

export const GetCompressedMintTokenHoldersMethod = definePageMethod(getCompressedMintTokenHolders, {
  item: TokenHolder,
  find: (reader, { mint, limit, cursor }) => findTokenHolders(reader, mint, limit, cursor),
  present: presentHolder,
  encodeCursor: encodeHolderCursor,
});
