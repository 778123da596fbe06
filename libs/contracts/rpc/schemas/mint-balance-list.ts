import { type Static, Type } from 'typebox';
import { closedObject } from './closed-object';
import { Cursor } from './paging';
import { nullable, PubkeyText, U64 } from './scalars';

export const MintBalance = closedObject({ mint: PubkeyText, balance: U64 }, { title: 'MintBalance' });

const ORDER = 'Ordered by mint bytes, ascending.';

/** The name of the list is in snake case, as in Photon. */
export const MintBalanceList = closedObject(
  { token_balances: Type.Array(MintBalance), cursor: nullable(Cursor) },
  { title: 'MintBalanceList', description: ORDER },
);

export const MintBalanceListV2 = closedObject(
  { items: Type.Array(MintBalance), cursor: nullable(Cursor) },
  { title: 'MintBalanceListV2', description: ORDER },
);

export type MintBalance = Static<typeof MintBalance>;
