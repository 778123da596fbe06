import { type Hash, type Slot, ZERO_HASH } from '@fresnel/domain/primitives';
import {
  type AccountBody,
  type ConsumedAccount,
  type CreatedAccount,
  type TakenAddress,
  type TokenData,
  type TransitionFacts,
} from '../facts';
import { hashAccount } from '../hashing/account-hash';
import { type DerivedAddress } from '../hashing/address';
import { hashNullifier, hashTransaction } from '../hashing/transaction-hash';
import { type AddressTree } from '../trees/address-tree';
import { type Chain, type StateTree } from './chain';

/** What a caller wants done; positions, numbers and hashes follow from the state of the chain. */
export interface TransitionRequest {
  inputs: readonly CreatedAccount[];
  outputs: readonly RequestedOutput[];
  newAddresses: readonly RequestedAddress[];
}

/** An account to be created. */
export interface RequestedOutput {
  tree: StateTree;
  body: AccountBody;
  /** Set for token accounts: what the body's data say. */
  token: TokenData | null;
}

/** An address to be taken, and the tree that it is to enter. */
export interface RequestedAddress extends DerivedAddress {
  tree: AddressTree;
}

/** Circumstances that change what a transition looks like. */
export interface TransitionTerms {
  slot: Slot;
  format: TransitionFacts['format'];
  /** Whether the nullifiers commit to the transaction. */
  withTransactionHash: boolean;
  /** False where nobody will be able to read the outputs' bodies. */
  isReadable: boolean;
}

/**
 * The transition that the request becomes in the present state, which stays as it is.
 *
 * Outputs of one tree must stand together: that is the order that the chain asks for.
 */
export function planTransition(chain: Chain, request: TransitionRequest, terms: TransitionTerms): TransitionFacts {
  const outputs = request.outputs.map((output, i) => place(output, countBefore(request.outputs, i, treeOf), terms));
  const inputHashes = request.inputs.map(({ hash }) => hash);
  const outputHashes = outputs.map(({ hash }) => hash);
  const hasTransactionHash = terms.withTransactionHash && inputHashes.length > 0;
  const txHash = hasTransactionHash ? hashTransaction(inputHashes, outputHashes, terms.slot) : ZERO_HASH;
  const inputs = request.inputs.map((account, i) =>
    consume(chain, account, countBefore(request.inputs, i, infoOf), txHash),
  );
  const newAddresses = request.newAddresses.map((address, i) =>
    take(address, countBefore(request.newAddresses, i, treeOf)),
  );
  return { kind: 'transition', format: terms.format, inputs, outputs, newAddresses, txHash };
}

function place({ tree, body, token }: RequestedOutput, ahead: number, terms: TransitionTerms): CreatedAccount {
  const position = tree.positionAfter(ahead);
  const hash = hashAccount(body, tree.info, position.leafIndex);
  return { ...body, ...position, hash, tree: tree.info, slot: terms.slot, token, isReadable: terms.isReadable };
}

function consume(chain: Chain, account: CreatedAccount, ahead: number, txHash: Hash): ConsumedAccount {
  const { tree, rootHistoryCapacity, type } = account.tree;
  if (type === 'stateV1') {
    const { seq } = chain.treeOf(chain.stateTreesV1, tree);
    return { account, rootIndex: Number(seq) % rootHistoryCapacity, nullification: null };
  }
  const state = chain.treeOf(chain.stateTreesV2, tree);
  return {
    account,
    rootIndex: state.isQueued(account.leafIndex) ? null : Number(state.seq) % rootHistoryCapacity,
    nullification: {
      queueIndex: state.inputPositionAfter(ahead),
      nullifier: hashNullifier(account.hash, account.leafIndex, txHash),
    },
  };
}

function take({ tree, seed, address }: RequestedAddress, ahead: number): TakenAddress {
  const { info, seq } = tree;
  const queueIndex = info.type === 'addressV2' ? tree.queuePositionAfter(ahead) : null;
  return { tree: info, seed, address, rootIndex: Number(seq) % info.rootHistoryCapacity, queueIndex };
}

/** How many of the items before the i-th belong to its tree. */
function countBefore<T>(items: readonly T[], i: number, treeOfItem: (item: T) => unknown): number {
  return items.slice(0, i).filter((item) => treeOfItem(item) === treeOfItem(items[i])).length;
}

function treeOf({ tree }: { tree: StateTree | AddressTree }): unknown {
  return tree;
}

function infoOf({ tree }: CreatedAccount): unknown {
  return tree;
}
