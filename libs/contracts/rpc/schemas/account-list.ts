import { Type } from 'typebox';
import { Account } from './account';
import { AccountV2 } from './account-v2';
import { closedObject } from './closed-object';
import { nullable } from './scalars';

/** Maximum number of accounts in one request. */
export const MAX_ACCOUNTS = 1000;

/** An item for each requested account. */
export const FoundAccount = nullable(Account);
export const FoundAccountV2 = nullable(AccountV2);

export const FoundAccountList = closedObject({ items: Type.Array(FoundAccount) }, { title: 'FoundAccountList' });
export const FoundAccountListV2 = closedObject({ items: Type.Array(FoundAccountV2) }, { title: 'FoundAccountListV2' });
