import { type AccountRecord } from '@fresnel/adapters/store-read';
import { type TokenBalance, type TokenDataObject } from '@fresnel/contracts/rpc';
import { keyOf, toBase58 } from '@fresnel/domain/primitives';
import { rememberedBase58 } from './remembered-base58';

type TokenOfAccount = NonNullable<AccountRecord['token']>;

const textOfMint = rememberedBase58();
const textOfOwner = rememberedBase58();
const textOfDelegate = rememberedBase58();

export function presentTokenData({ mint, owner, amount, delegate, state, tlv }: TokenOfAccount): TokenDataObject {
  return {
    mint: textOfMint(mint),
    owner: textOfOwner(owner),
    amount,
    delegate: delegate && textOfDelegate(delegate),
    state,
    tlv: tlv && tlv.toString('base64'),
  };
}

/** Sums token amounts by owner and mint, in the order of first appearance. Undefined if no account has tokens. */
export function sumTokenBalances(accounts: readonly AccountRecord[]): TokenBalance[] | undefined {
  const balances = new Map<string, TokenBalance>();
  for (const { token } of accounts) {
    if (!token) continue;
    const key = keyOf(token.owner) + keyOf(token.mint);
    const balance = balances.get(key);
    if (balance) balance.amount += token.amount;
    else balances.set(key, { owner: toBase58(token.owner), mint: toBase58(token.mint), amount: token.amount });
  }
  return balances.size > 0 ? [...balances.values()] : undefined;
}
