import { type AccountRecord } from '@fresnel/adapters/store-read';
import { type Account, type AccountV2 } from '@fresnel/contracts/rpc';
import { toBase58 } from '@fresnel/domain/primitives';
import { TREE_TYPES } from '@fresnel/domain/trees';
import { rememberedBase58 } from './remembered-base58';

type StoredData = NonNullable<AccountRecord['data']>;

const textOfTree = rememberedBase58();
const textOfQueue = rememberedBase58();
const textOfOwner = rememberedBase58();

export function presentAccount(account: AccountRecord): Account {
  const { hash, address, data, owner, tree, lamports, leafIndex, seq, slotCreated } = account;
  return {
    hash: toBase58(hash),
    address: address && toBase58(address),
    data: data && presentData(data),
    owner: textOfOwner(owner),
    lamports,
    leafIndex,
    seq,
    slotCreated,
    tree: textOfTree(tree),
  };
}

/**
 * The members are listed once more than in `presentAccount`: to spread an object takes longer than all else about an account.
 *
 * @param proveByIndex whether the account is reported as being in the output queue
 */
export function presentAccountV2(account: AccountRecord, proveByIndex: boolean): AccountV2 {
  const { hash, address, data, owner, tree, queue, treeType, lamports, leafIndex, seq, slotCreated } = account;
  return {
    hash: toBase58(hash),
    address: address && toBase58(address),
    data: data && presentData(data),
    owner: textOfOwner(owner),
    lamports,
    leafIndex,
    seq,
    slotCreated,
    proveByIndex,
    merkleContext: {
      treeType: TREE_TYPES[treeType],
      tree: textOfTree(tree),
      queue: textOfQueue(queue),
      cpiContext: null,
      nextTreeContext: null,
    },
  };
}

/** An account of the current state: `proveByIndex` is whether it is in the output queue now. */
export function presentCurrentAccountV2(account: AccountRecord): AccountV2 {
  return presentAccountV2(account, account.isQueued);
}

function presentData({ discriminator, bytes, dataHash }: StoredData): Account['data'] {
  return { discriminator, data: bytes.toString('base64'), dataHash: toBase58(dataHash) };
}
