import { findTokenHolders } from '@fresnel/adapters/store-read';
import { getCompressedMintTokenHolders, writeHolderCursor } from '@fresnel/contracts/rpc';
import { toBase58 } from '@fresnel/domain/primitives';
import { cursorAfter } from '../present/cursor-after';
import { defineMethod } from './method';

export const getCompressedMintTokenHoldersMethod = defineMethod(
  getCompressedMintTokenHolders,
  async ({ mint, limit, cursor }, { reader }) => {
    const { slot, items } = await findTokenHolders(reader, mint, limit, cursor);
    return {
      context: { slot },
      value: {
        items: items.map(({ owner, balance }) => ({ owner: toBase58(owner), balance })),
        cursor: cursorAfter(items, limit, writeHolderCursor),
      },
    };
  },
);
