import { type Static, Type } from 'typebox';
import { closedObject } from './closed-object';
import { Cursor } from './paging';
import { nullable, PubkeyText, U64 } from './scalars';

export const TokenHolder = closedObject({ owner: PubkeyText, balance: U64 }, { title: 'TokenHolder' });

export const TokenHolderList = closedObject(
  { items: Type.Array(TokenHolder), cursor: nullable(Cursor) },
  { title: 'TokenHolderList', description: 'Ordered by balance, then by owner bytes, both descending.' },
);

export type TokenHolder = Static<typeof TokenHolder>;
