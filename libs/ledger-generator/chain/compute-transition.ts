import { type Hash, type Slot, ZERO_HASH } from '@fresnel/domain/primitives';
import {
  type AccountBody,
  type ConsumedAccount,
  type CreatedAccount,
  type NewAddress,
  type TokenData,
  type TransitionFacts,
} from '../facts';
import { hashAccount } from '../hashing/account-hash';
import { type DerivedAddress } from '../hashing/address';
import { hashNullifier, hashTransaction } from '../hashing/transaction-hash';
import { type AddressTree } from '../trees/address-tree';
import { type Chain, type StateTree } from './chain';

/** Inputs, outputs and new addresses of a transition, before leaf indices, sequence numbers and hashes are assigned. */
export interface TransitionRequest {
  inputs: readonly CreatedAccount[];
  outputs: readonly RequestedOutput[];
  newAddresses: readonly RequestedAddress[];
}

/** An account to be created. */
export interface RequestedOutput {
  tree: StateTree;
  body: AccountBody;
  /** Token data of the body; null for other accounts. */
  token: TokenData | null;
}

/** An address to be created, and its address tree. */
export interface RequestedAddress extends DerivedAddress {
  tree: AddressTree;
}

/** Options of a transition. */
export interface TransitionOptions {
  slot: Slot;
  format: TransitionFacts['format'];
  /** Whether the nullifiers commit to the transaction. */
  withTransactionHash: boolean;
  /** False when the instruction with the outputs' bodies cannot be parsed. */
  isReadable: boolean;
}

/**
 * Computes the transition that results from the request in the current state of the chain, and leaves the chain unchanged.
 *
 * Outputs of one tree must be adjacent, as the program requires.
 */
export function computeTransition(
  chain: Chain,
  request: TransitionRequest,
  options: TransitionOptions,
): TransitionFacts {
  const outputs = request.outputs.map((output, i) =>
    createOutput(output, countBefore(request.outputs, i, treeOf), options),
  );
  const inputHashes = request.inputs.map(({ hash }) => hash);
  const outputHashes = outputs.map(({ hash }) => hash);
  const hasTransactionHash = options.withTransactionHash && inputHashes.length > 0;
  const txHash = hasTransactionHash ? hashTransaction(inputHashes, outputHashes, options.slot) : ZERO_HASH;
  const inputs = request.inputs.map((account, i) =>
    consumeInput(chain, account, countBefore(request.inputs, i, infoOf), txHash),
  );
  const newAddresses = request.newAddresses.map((address, i) =>
    createAddress(address, countBefore(request.newAddresses, i, treeOf)),
  );
  return { kind: 'transition', format: options.format, inputs, outputs, newAddresses, ataOwners: [], txHash };
}

function createOutput(
  { tree, body, token }: RequestedOutput,
  ahead: number,
  options: TransitionOptions,
): CreatedAccount {
  const position = tree.positionAfter(ahead);
  const hash = hashAccount(body, tree.info, position.leafIndex);
  return { ...body, ...position, hash, tree: tree.info, slot: options.slot, token, isReadable: options.isReadable };
}

function consumeInput(chain: Chain, account: CreatedAccount, ahead: number, txHash: Hash): ConsumedAccount {
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

function createAddress({ tree, seed, address }: RequestedAddress, ahead: number): NewAddress {
  const { info, seq } = tree;
  const queueIndex = info.type === 'addressV2' ? tree.queuePositionAfter(ahead) : null;
  return { tree: info, seed, address, rootIndex: Number(seq) % info.rootHistoryCapacity, queueIndex };
}

/** Number of items before the i-th that belong to the same tree. */
function countBefore<T>(items: readonly T[], i: number, treeOfItem: (item: T) => unknown): number {
  return items.slice(0, i).filter((item) => treeOfItem(item) === treeOfItem(items[i])).length;
}

function treeOf({ tree }: { tree: StateTree | AddressTree }): unknown {
  return tree;
}

function infoOf({ tree }: CreatedAccount): unknown {
  return tree;
}
