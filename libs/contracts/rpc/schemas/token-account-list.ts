import { type Static, type TSchema, Type } from 'typebox';
import { Account } from './account';
import { AccountV2 } from './account-v2';
import { closedObject } from './closed-object';
import { Cursor } from './paging';
import { nullable } from './scalars';
import { TokenDataObject } from './token-data';

function tokenAccount<Schema extends TSchema>(account: Schema, title: string) {
  return closedObject({ account, tokenData: TokenDataObject }, { title });
}

function list<Schema extends TSchema>(item: Schema, title: string) {
  return closedObject(
    { items: Type.Array(item), cursor: nullable(Cursor) },
    { title, description: 'Ordered by mint bytes, then by hash, both ascending.' },
  );
}

export const TokenAccount = tokenAccount(Account, 'TokenAccount');
export const TokenAccountV2 = tokenAccount(AccountV2, 'TokenAccountV2');

export const TokenAccountList = list(TokenAccount, 'TokenAccountList');
export const TokenAccountListV2 = list(TokenAccountV2, 'TokenAccountListV2');

export type TokenAccount = Static<typeof TokenAccount>;
export type TokenAccountV2 = Static<typeof TokenAccountV2>;
