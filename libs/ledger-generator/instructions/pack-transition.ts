import { type PackedAddress, type PackedInput, type PackedOutput } from '../encode/packed-account';
import { type ConsumedAccount, type CreatedAccount, type NewAddress, type TransitionFacts } from '../facts';
import { type KeyTable } from './key-table';

/** Accounts and addresses of a transition, with trees and queues as positions in a key table. */
export interface PackedTransition {
  inputs: PackedInput[];
  outputs: PackedOutput[];
  newAddresses: PackedAddress[];
}

/** Packs outputs first, because their tree positions must ascend. */
export function packTransition(facts: TransitionFacts, table: KeyTable): PackedTransition {
  const outputs = facts.outputs.map((output) => packOutput(output, table));
  const inputs = facts.inputs.map((input) => packInput(input, table));
  const newAddresses = facts.newAddresses.map((address) => packAddress(address, facts.outputs, table));
  return { inputs, outputs, newAddresses };
}

function packOutput(output: CreatedAccount, table: KeyTable): PackedOutput {
  const { tree, queue, type } = output.tree;
  return { account: output, treeIndex: table.positionOf(type === 'stateV2' ? queue : tree) };
}

function packInput({ account, rootIndex }: ConsumedAccount, table: KeyTable): PackedInput {
  const { tree, queue } = account.tree;
  const context = {
    treeIndex: table.positionOf(tree),
    queueIndex: table.positionOf(queue),
    leafIndex: account.leafIndex,
    proveByIndex: rootIndex === null,
  };
  return { account, context, rootIndex: rootIndex ?? 0 };
}

function packAddress(newAddress: NewAddress, outputs: readonly CreatedAccount[], table: KeyTable): PackedAddress {
  const assigned = outputs.findIndex(({ address }) => address?.equals(newAddress.address));
  return {
    seed: newAddress.seed,
    treeIndex: table.positionOf(newAddress.tree.tree),
    queueIndex: table.positionOf(newAddress.tree.queue),
    rootIndex: newAddress.rootIndex,
    assignedTo: assigned < 0 ? null : assigned,
  };
}
