import { findTokenHolders } from '@fresnel/adapters/store-read';
import { encodeHolderCursor, getCompressedMintTokenHolders, TokenHolder } from '@fresnel/contracts/rpc';
import { presentTokenHolder } from '../present/token-holder.presenter';
import { definePageMethod } from './define-method';

export const GetCompressedMintTokenHoldersMethod = definePageMethod(getCompressedMintTokenHolders, {
  item: TokenHolder,
  find: (reader, { mint, limit, cursor }) => findTokenHolders(reader, mint, limit, cursor),
  present: presentTokenHolder,
  encodeCursor: encodeHolderCursor,
});
