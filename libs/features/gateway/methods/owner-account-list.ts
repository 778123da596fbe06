import { type AccountPage, findOwnerAccounts, type Reader } from '@fresnel/adapters/store-read';
import { encodeAccountCursor, type OwnerAccountsParams } from '@fresnel/contracts/rpc';
import { sliceData } from '../present/slice-data';

/** What the lists of an owner's accounts have in common. */
export const OWNER_ACCOUNT_LIST = {
  find: async (reader: Reader, params: OwnerAccountsParams): Promise<AccountPage> => {
    const { owner, limit, cursor, filters, dataSlice } = params;
    const { items, ...page } = await findOwnerAccounts(reader, owner, limit, cursor, filters);
    return { ...page, items: dataSlice ? items.map((account) => sliceData(account, dataSlice)) : items };
  },
  encodeCursor: encodeAccountCursor,
};
