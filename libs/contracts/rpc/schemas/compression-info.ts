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
  {
    title: 'ClosedAccountV2',
    description:
      'A consumed account with its nullifier and the hash of the transaction that consumed it; both are zero for a V1 tree.',
  },
);

function entry<Schema extends TSchema>(account: Schema) {
  return closedObject({ account, optionalTokenData: nullable(TokenDataObject) });
}

function info<Closed extends TSchema, Opened extends TSchema>(closed: Closed, opened: Opened, title: string) {
  return closedObject(
    {
      closedAccounts: Type.Array(entry(closed), { description: 'Consumed accounts, in input order.' }),
      openedAccounts: Type.Array(entry(opened), { description: 'Created accounts, in output order.' }),
      preTokenBalances: Type.Optional(
        Type.Array(TokenBalance, { description: 'Sums of the closed accounts by owner and mint.' }),
      ),
      postTokenBalances: Type.Optional(
        Type.Array(TokenBalance, { description: 'Sums of the opened accounts by owner and mint.' }),
      ),
    },
    { title },
  );
}

export const CompressionInfo = info(Account, Account, 'CompressionInfo');
export const CompressionInfoV2 = info(ClosedAccountV2, AccountV2, 'CompressionInfoV2');

const SolanaTransaction = Type.Object(
  {
    slot: SlotNumber,
    transaction: Type.Array(Type.String(), { description: 'The transaction in base64, and the string "base64".' }),
    meta: Type.Unknown({ description: 'Status metadata as the node returned it.' }),
    blockTime: Type.Integer({ description: 'Unix time in seconds.' }),
    version: Type.Optional(Type.Unknown({ description: '"legacy" or the version number.' })),
  },
  { title: 'SolanaTransaction', description: 'The result of `getTransaction` exactly as the node returned it.' },
);

/** Schema of the result. The compression info has two names because clients read either. */
export function transactionWith<Info extends TSchema>(compressionInfo: Info) {
  return nullable(closedObject({ transaction: SolanaTransaction, compressionInfo, compression_info: compressionInfo }));
}

export type TokenBalance = Static<typeof TokenBalance>;
export type CompressionInfo = Static<typeof CompressionInfo>;
export type CompressionInfoV2 = Static<typeof CompressionInfoV2>;
