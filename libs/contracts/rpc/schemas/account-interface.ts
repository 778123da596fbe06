import { type Static, Type } from 'typebox';
import { AccountV2 } from './account-v2';
import { closedObject } from './closed-object';
import { Base64Text, nullable, PubkeyText, U64 } from './scalars';

export const SolanaAccount = closedObject(
  {
    lamports: U64,
    data: Base64Text,
    owner: PubkeyText,
    executable: Type.Boolean(),
    rentEpoch: U64,
    space: Type.Integer({ minimum: 0, description: 'The length of the data in bytes.' }),
  },
  {
    title: 'SolanaAccount',
    description:
      'The account on the chain, or one with the contents of the newest compressed account: of a token account in the layout of the SPL token program, of another its discriminator and data.',
  },
);

export const AccountInterface = closedObject(
  {
    key: PubkeyText,
    account: SolanaAccount,
    cold: nullable(
      Type.Array(AccountV2, {
        minItems: 1,
        description: 'The compressed accounts that belong to the address, the newest first. Null if there is none.',
      }),
    ),
  },
  { title: 'AccountInterface', description: 'An account, wherever it is.' },
);

export const FoundAccountInterface = nullable(AccountInterface);

export type SolanaAccount = Static<typeof SolanaAccount>;
export type AccountInterface = Static<typeof AccountInterface>;
