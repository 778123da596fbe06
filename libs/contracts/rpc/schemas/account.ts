import { type Static } from 'typebox';
import { closedObject } from './closed-object';
import { Base64Text, HashText, nullable, PubkeyText, SlotNumber, SmallInteger, U64 } from './scalars';

export const AccountData = closedObject(
  { discriminator: U64, data: Base64Text, dataHash: HashText },
  { title: 'AccountData', description: 'The data that the owning program stores in a compressed account.' },
);

/** Members that Account and AccountV2 share. */
export const ACCOUNT_MEMBERS = {
  hash: HashText,
  address: nullable(PubkeyText),
  data: nullable(AccountData),
  owner: PubkeyText,
  lamports: U64,
  leafIndex: SmallInteger,
  seq: nullable(U64),
  slotCreated: SlotNumber,
};

export const Account = closedObject(
  { ...ACCOUNT_MEMBERS, tree: PubkeyText },
  { title: 'Account', description: 'A compressed account. `seq` is null in V2 trees.' },
);

export type AccountData = Static<typeof AccountData>;
export type Account = Static<typeof Account>;
