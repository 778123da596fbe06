import { toBase58, ZERO_HASH } from '@fresnel/domain/primitives';
import { TREE_TYPES } from '@fresnel/domain/trees';
import { type AccountData, type CreatedAccount, type TokenData } from '../facts';
import {
  type AccountAnswer,
  type AccountDataAnswer,
  type AccountV2Answer,
  type ClosedAccountV2Answer,
  type TokenDataAnswer,
} from './answers';
import { type AccountRecord } from './ledger-records';

/** An account in the shape of V1 methods. */
export function presentAccount(account: CreatedAccount): AccountAnswer {
  return { ...presentBody(account), tree: toBase58(account.tree.tree) };
}

/**
 * An account in the shape of V2 methods.
 *
 * @param proveByIndex whether the account is in the output queue, so that it can be proven by index
 */
export function presentAccountV2(account: CreatedAccount, proveByIndex: boolean): AccountV2Answer {
  const { type, tree, queue } = account.tree;
  return {
    ...presentBody(account),
    proveByIndex,
    merkleContext: {
      treeType: TREE_TYPES[type],
      tree: toBase58(tree),
      queue: toBase58(queue),
      cpiContext: null,
      nextTreeContext: null,
    },
  };
}

/** An account in the shape of V2 methods, in its current state. */
export function presentCurrentAccountV2({ account, isQueued }: AccountRecord): AccountV2Answer {
  return presentAccountV2(account, isQueued);
}

/** A consumed account in the shape of V2 methods, in its current state. */
export function presentClosedAccountV2({ account, isQueued, consumption }: AccountRecord): ClosedAccountV2Answer {
  return {
    account: presentAccountV2(account, isQueued),
    nullifier: toBase58(consumption?.nullifier ?? ZERO_HASH),
    txHash: toBase58(consumption?.txHash ?? ZERO_HASH),
  };
}

/** Token data in the shape of RPC results. */
export function presentTokenData(token: TokenData): TokenDataAnswer {
  const { mint, owner, amount, delegate, isFrozen, extensions } = token;
  return {
    mint: toBase58(mint),
    owner: toBase58(owner),
    amount,
    delegate: delegate && toBase58(delegate),
    state: isFrozen ? 'frozen' : 'initialized',
    tlv: extensions && extensions.toString('base64'),
  };
}

function presentBody(account: CreatedAccount): Omit<AccountAnswer, 'tree'> {
  return {
    hash: toBase58(account.hash),
    owner: toBase58(account.owner),
    lamports: account.lamports,
    leafIndex: account.leafIndex,
    slotCreated: account.slot,
    address: account.address && toBase58(account.address),
    data: account.data && presentData(account.data),
    seq: account.seq,
  };
}

function presentData({ discriminator, bytes, dataHash }: AccountData): AccountDataAnswer {
  return {
    discriminator: discriminator.readBigUInt64LE(),
    data: bytes.toString('base64'),
    dataHash: toBase58(dataHash),
  };
}
