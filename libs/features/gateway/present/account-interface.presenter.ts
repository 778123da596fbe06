import { type NodeAccount } from '@fresnel/adapters/chain';
import { type ColdAccount } from '@fresnel/adapters/store-read';
import { type AccountInterface, type SolanaAccount } from '@fresnel/contracts/rpc';
import { type Pubkey, toBase58, u64ToLittleEndian } from '@fresnel/domain/primitives';
import {
  decodeSplTokenAccount,
  encodeSplTokenAccount,
  type SplTokenAccount,
  sumTokenAccounts,
  toSplTokenAccount,
} from '@fresnel/domain/state';
import { presentCurrentAccountV2 } from './account.presenter';

/** An account on the chain as of a slot, and the compressed accounts of its key, the newest first. */
interface FoundInterface {
  key: Pubkey;
  hot: HotAccount | null;
  cold: readonly ColdAccount[];
}

interface HotAccount {
  account: NodeAccount;
  slot: number;
}

/** Null if there is no account. */
export function presentAccountInterface({ key, hot, cold }: FoundInterface): AccountInterface | null {
  const account = presentTokens(hot, cold) ?? presentNewer(hot, cold.at(0));
  if (!account) return null;
  return {
    key: toBase58(key),
    account,
    cold: cold.length > 0 ? cold.map((each) => presentCurrentAccountV2(each.account)) : null,
  };
}

/** The sum of all accounts, if all of them have tokens of one mint; else null. */
function presentTokens(hot: HotAccount | null, cold: readonly ColdAccount[]): SolanaAccount | null {
  const parts = cold.flatMap((each) => toTokenAccount(each) ?? []);
  if (parts.length === 0 || parts.length < cold.length) return null;
  const live = hot && decodeSplTokenAccount(hot.account.data);
  if (hot && !live) return null;
  const all = live ? [live, ...parts] : parts;
  if (all.some(({ mint }) => !mint.equals(all[0].mint))) return null;
  const total = sumTokenAccounts(all);
  if (hot) return presentHot({ ...hot.account, data: encodeSplTokenAccount(total, hot.account.data) });
  return toSolanaAccount(partsOf(cold[0]), encodeSplTokenAccount(total));
}

function presentNewer(hot: HotAccount | null, newest: ColdAccount | undefined): SolanaAccount | null {
  if (hot && (!newest || hot.slot >= newest.account.slotCreated)) return presentHot(hot.account);
  return newest ? presentCold(newest) : null;
}

function presentHot({ lamports, data, owner, isExecutable, rentEpoch }: NodeAccount): SolanaAccount {
  return toSolanaAccount({ lamports, owner: toBase58(owner), executable: isExecutable, rentEpoch }, data);
}

/** A compressed account in the form that it would have on the chain. */
function presentCold(cold: ColdAccount): SolanaAccount {
  const { data } = cold.account;
  const token = toTokenAccount(cold);
  if (token) return toSolanaAccount(partsOf(cold), encodeSplTokenAccount(token));
  return toSolanaAccount(
    partsOf(cold),
    data ? Buffer.concat([u64ToLittleEndian(data.discriminator), data.bytes]) : Buffer.alloc(0),
  );
}

/** The owner of an associated token account is its wallet. */
function toTokenAccount({ account: { token }, ataOwner }: ColdAccount): SplTokenAccount | null {
  return token && toSplTokenAccount({ ...token, owner: ataOwner ?? token.owner });
}

function partsOf({ account: { lamports, owner } }: ColdAccount) {
  return { lamports, owner: toBase58(owner), executable: false, rentEpoch: 0n };
}

function toSolanaAccount(parts: Omit<SolanaAccount, 'data' | 'space'>, data: Buffer): SolanaAccount {
  return { ...parts, data: data.toString('base64'), space: data.length };
}
