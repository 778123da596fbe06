import { type Static, type TSchema, Type } from 'typebox';
import { Account } from './account';
import { AccountV2 } from './account-v2';
import { closedObject } from './closed-object';
import { HashText, nullable, PubkeyText, SlotNumber, U64 } from './scalars';
import { TokenDataObject } from './token-data';

export const TokenBalance = closedObject(
  { owner: PubkeyText, mint: PubkeyText, amount: U64 },
  { title: 'TokenBalance' },
);

const ClosedAccountV2 = closedObject(
  { account: AccountV2, nullifier: HashText, txHash: HashText },
  { title: 'ClosedAccountV2', description: 'An account and what closed it; zero hashes where it was in a V1 tree.' },
);

function entry<Schema extends TSchema>(account: Schema) {
  return closedObject({ account, optionalTokenData: nullable(TokenDataObject) });
}

function info<Closed extends TSchema, Opened extends TSchema>(closed: Closed, opened: Opened, title: string) {
  return closedObject(
    {
      closedAccounts: Type.Array(entry(closed), { description: 'Consumed accounts, in input order.' }),
      openedAccounts: Type.Array(entry(opened), { description: 'Created accounts, in output order.' }),
      preTokenBalances: Type.Optional(Type.Array(TokenBalance, { description: 'Closed accounts by owner and mint.' })),
      postTokenBalances: Type.Optional(Type.Array(TokenBalance, { description: 'Opened accounts by owner and mint.' })),
    },
    { title },
  );
}

export const CompressionInfo = info(Account, Account, 'CompressionInfo');
export const CompressionInfoV2 = info(ClosedAccountV2, AccountV2, 'CompressionInfoV2');

const SolanaTransaction = Type.Object(
  {
    slot: SlotNumber,
    transaction: Type.Array(Type.String(), { description: 'The transaction in base64, and the word "base64".' }),
    meta: Type.Unknown({ description: 'Status and effects as the node reported them.' }),
    blockTime: Type.Integer({ description: 'Unix time in seconds.' }),
    version: Type.Optional(Type.Unknown({ description: '"legacy" or the number of the version.' })),
  },
  { title: 'SolanaTransaction', description: "A node's `getTransaction` result, digit for digit." },
);

/** The result that carries a container: under two names, because clients read either. */
export function transactionWith<Info extends TSchema>(container: Info) {
  return nullable(
    closedObject({ transaction: SolanaTransaction, compressionInfo: container, compression_info: container }),
  );
}

export type TokenBalance = Static<typeof TokenBalance>;
export type CompressionInfo = Static<typeof CompressionInfo>;
export type CompressionInfoV2 = Static<typeof CompressionInfoV2>;
