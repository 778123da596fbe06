import { type AccountRecord, type TransactionRecord } from '@fresnel/adapters/store-read';
import { type CompressionInfo, type CompressionInfoV2 } from '@fresnel/contracts/rpc';
import { toBase58, ZERO_HASH } from '@fresnel/domain/primitives';
import { presentAccount, presentAccountV2, presentCurrentAccountV2 } from './account.presenter';
import { presentTokenData, sumTokenBalances } from './token-data.presenter';

type Accounts = Pick<TransactionRecord, 'consumed' | 'created'>;

export function presentCompressionInfo(transaction: Accounts): CompressionInfo {
  const entry = (account: AccountRecord) => ({ account: presentAccount(account), ...tokenDataOf(account) });
  return {
    closedAccounts: transaction.consumed.map(entry),
    openedAccounts: transaction.created.map(entry),
    ...balancesOf(transaction),
  };
}

export function presentCompressionInfoV2(transaction: Accounts): CompressionInfoV2 {
  return {
    closedAccounts: transaction.consumed.map((account) => ({
      account: presentClosed(account),
      ...tokenDataOf(account),
    })),
    openedAccounts: transaction.created.map((account) => ({
      account: presentAccountV2(account, account.treeType === 'stateV2'),
      ...tokenDataOf(account),
    })),
    ...balancesOf(transaction),
  };
}

function presentClosed(account: AccountRecord): CompressionInfoV2['closedAccounts'][number]['account'] {
  const { nullifier, txHash } = account.nullification ?? { nullifier: ZERO_HASH, txHash: ZERO_HASH };
  return {
    account: presentCurrentAccountV2(account),
    nullifier: toBase58(nullifier),
    txHash: toBase58(txHash),
  };
}

function tokenDataOf({ token }: AccountRecord): Pick<CompressionInfo['closedAccounts'][number], 'optionalTokenData'> {
  return { optionalTokenData: token && presentTokenData(token) };
}

function balancesOf({ consumed, created }: Accounts): Pick<CompressionInfo, 'preTokenBalances' | 'postTokenBalances'> {
  return { preTokenBalances: sumTokenBalances(consumed), postTokenBalances: sumTokenBalances(created) };
}
