import { type Static, Type } from 'typebox';
import { closedObject } from './closed-object';
import { Base64Text, nullable, PubkeyText, U64 } from './scalars';

export const TokenDataObject = closedObject(
  {
    mint: PubkeyText,
    owner: PubkeyText,
    amount: U64,
    delegate: nullable(PubkeyText),
    state: Type.Enum(['initialized', 'frozen'], { type: 'string' }),
    tlv: nullable(Base64Text),
  },
  { title: 'TokenData', description: 'The token data of a compressed token account.' },
);

export type TokenDataObject = Static<typeof TokenDataObject>;
