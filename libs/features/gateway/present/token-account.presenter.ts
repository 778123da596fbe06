import { type TokenAccountRecord } from '@fresnel/adapters/store-read';
import { type TokenAccount, type TokenAccountV2 } from '@fresnel/contracts/rpc';
import { presentAccount, presentCurrentAccountV2 } from './account.presenter';
import { presentTokenData } from './token-data.presenter';

export function presentTokenAccount(account: TokenAccountRecord): TokenAccount {
  return { account: presentAccount(account), tokenData: presentTokenData(account.token) };
}

export function presentTokenAccountV2(account: TokenAccountRecord): TokenAccountV2 {
  return { account: presentCurrentAccountV2(account), tokenData: presentTokenData(account.token) };
}
