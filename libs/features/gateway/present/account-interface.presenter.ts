import { type NodeAccount } from '@fresnel/adapters/chain';
import { type ColdAccount } from '@fresnel/adapters/store-read';
import { type AccountInterface, type SolanaAccount } from '@fresnel/contracts/rpc';
import { type Pubkey, toBase58, u64ToLittleEndian } from '@fresnel/domain/primitives';
import { encodeSplTokenAccount } from '@fresnel/domain/state';
import { presentCurrentAccountV2 } from './account.presenter';

/** An account on the chain as of a slot, and the compressed accounts of its key, the newest first. */
interface FoundInterface {
  key: Pubkey;
  hot: { account: NodeAccount; slot: number } | null;
  cold: readonly ColdAccount[];
}

/** Null if there is no account. */
export function presentAccountInterface({ key, hot, cold }: FoundInterface): AccountInterface | null {
  const newest = cold.at(0);
  const isHotNewer = hot && (!newest || hot.slot >= newest.account.slotCreated);
  const account = isHotNewer ? presentHot(hot.account) : newest && presentCold(newest);
  if (!account) return null;
  return {
    key: toBase58(key),
    account,
    cold: newest ? cold.map((each) => presentCurrentAccountV2(each.account)) : null,
  };
}

function presentHot({ lamports, data, owner, isExecutable, rentEpoch }: NodeAccount): SolanaAccount {
  return toSolanaAccount({ lamports, owner: toBase58(owner), executable: isExecutable, rentEpoch }, data);
}

/** A compressed account in the form that it would have on the chain. */
function presentCold({ account, ataOwner }: ColdAccount): SolanaAccount {
  const { token, data, lamports, owner } = account;
  const parts = { lamports, owner: toBase58(owner), executable: false, rentEpoch: 0n };
  if (token) return toSolanaAccount(parts, encodeSplTokenAccount({ ...token, owner: ataOwner ?? token.owner }));
  return toSolanaAccount(
    parts,
    data ? Buffer.concat([u64ToLittleEndian(data.discriminator), data.bytes]) : Buffer.alloc(0),
  );
}

function toSolanaAccount(parts: Omit<SolanaAccount, 'data' | 'space'>, data: Buffer): SolanaAccount {
  return { ...parts, data: data.toString('base64'), space: data.length };
}
