import { findTokenHolders } from '@fresnel/adapters/store-read';
import { encodeHolderCursor, getCompressedMintTokenHolders } from '@fresnel/contracts/rpc';
import { HOLDER_TEMPLATE } from '../present/token-holder.presenter';
import { defineRecordPageMethod } from './define-method';

export const GetCompressedMintTokenHoldersMethod = defineRecordPageMethod(getCompressedMintTokenHolders, {
  template: HOLDER_TEMPLATE,
  find: (reader, { mint, limit, cursor }) => findTokenHolders(reader, mint, limit, cursor),
  encodeCursor: encodeHolderCursor,
});
