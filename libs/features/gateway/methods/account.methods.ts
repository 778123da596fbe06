import { findAccount, findAccounts, findOwnerAccounts, type Reader } from '@fresnel/adapters/store-read';
import {
  Account,
  AccountV2,
  CONTRACTS,
  encodeAccountCursor,
  FoundAccount,
  FoundAccountV2,
  type OwnerAccountsParams,
} from '@fresnel/contracts/rpc';
import { presentAccount, presentCurrentAccountV2 } from '../present/account.presenter';
import { sliceData } from '../present/slice-data';
import { defineListMethod, definePageMethod, defineValueMethod } from './define-method';

/** What the lists of an owner's accounts have in common. */
const OWNER_LIST = {
  find: async (reader: Reader, { owner, limit, cursor, filters, dataSlice }: OwnerAccountsParams) => {
    const { items, ...page } = await findOwnerAccounts(reader, owner, limit, cursor, filters);
    return { ...page, items: dataSlice ? items.map((account) => sliceData(account, dataSlice)) : items };
  },
  encodeCursor: encodeAccountCursor,
};

export const ACCOUNT_METHODS = [
  defineValueMethod(CONTRACTS.getCompressedAccount, async (reader, key) => {
    const { slot, account } = await findAccount(reader, key);
    return { context: { slot }, value: account && presentAccount(account) };
  }),
  defineValueMethod(CONTRACTS.getCompressedAccountV2, async (reader, key) => {
    const { slot, account } = await findAccount(reader, key);
    return { context: { slot }, value: account && presentCurrentAccountV2(account) };
  }),
  defineListMethod(CONTRACTS.getMultipleCompressedAccounts, {
    item: FoundAccount,
    find: findAccounts,
    present: (account) => account && presentAccount(account),
  }),
  defineListMethod(CONTRACTS.getMultipleCompressedAccountsV2, {
    item: FoundAccountV2,
    find: findAccounts,
    present: (account) => account && presentCurrentAccountV2(account),
  }),
  definePageMethod(CONTRACTS.getCompressedAccountsByOwner, { ...OWNER_LIST, item: Account, present: presentAccount }),
  definePageMethod(CONTRACTS.getCompressedAccountsByOwnerV2, {
    ...OWNER_LIST,
    item: AccountV2,
    present: presentCurrentAccountV2,
  }),
];
