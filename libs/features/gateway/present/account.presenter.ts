import { type AccountRecord } from '@fresnel/adapters/store-read';
import { type Account, type AccountV2 } from '@fresnel/contracts/rpc';
import { toBase58 } from '@fresnel/domain/primitives';
import { TREE_TYPES } from '@fresnel/domain/trees';
import { rememberedBase58 } from './cached-base58';

const textOfTree = rememberedBase58();
const textOfQueue = rememberedBase58();
const textOfOwner = rememberedBase58();

export function presentAccount(account: AccountRecord): Account {
  return { ...presentBody(account), tree: textOfTree(account.tree) };
}

/** @param proveByIndex whether the account is reported as being in the output queue */
export function presentAccountV2(account: AccountRecord, proveByIndex: boolean): AccountV2 {
  return {
    ...presentBody(account),
    proveByIndex,
    merkleContext: {
      treeType: TREE_TYPES[account.treeType],
      tree: textOfTree(account.tree),
      queue: textOfQueue(account.queue),
      cpiContext: null,
      nextTreeContext: null,
    },
  };
}

/** An account of the current state: `proveByIndex` is whether it is in the output queue now. */
export function presentCurrentAccountV2(account: AccountRecord): AccountV2 {
  return presentAccountV2(account, account.isQueued);
}

function presentBody(account: AccountRecord): Omit<Account, 'tree'> {
  const { address, data } = account;
  return {
    hash: toBase58(account.hash),
    address: address && toBase58(address),
    data: data && {
      discriminator: data.discriminator,
      data: data.bytes.toString('base64'),
      dataHash: toBase58(data.dataHash),
    },
    owner: textOfOwner(account.owner),
    lamports: account.lamports,
    leafIndex: account.leafIndex,
    seq: account.seq,
    slotCreated: account.slotCreated,
  };
}
