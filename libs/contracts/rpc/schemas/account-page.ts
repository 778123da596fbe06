import { type TSchema, Type } from 'typebox';
import { Account } from './account';
import { AccountV2 } from './account-v2';
import { closedObject } from './closed-object';
import { Cursor } from './paging';
import { nullable } from './scalars';

function page<Schema extends TSchema>(account: Schema, title: string) {
  return closedObject(
    { items: Type.Array(account), cursor: nullable(Cursor) },
    { title, description: 'Ordered by leaf index, then by hash bytes, both ascending, over all trees.' },
  );
}

export const AccountPage = page(Account, 'AccountPage');
export const AccountPageV2 = page(AccountV2, 'AccountPageV2');
