import { type Pubkey, ZERO_PUBKEY } from '@fresnel/domain/primitives';
import { encodeInsertIntoQueues, type InsertIntoQueues, type QueueSequence } from '../encode/insert-into-queues';
import { type PackedOutput } from '../encode/packed-account';
import { type ConsumedAccount, type CreatedAccount, type NewAddress, type TransitionFacts } from '../facts';
import { GENERATED_PROGRAMS, SINGLETONS } from '../keys';
import { type Instruction, readonly, writable } from './instruction';
import { KeyTable } from './key-table';

/**
 * The CPI with which the light system program passes a transition to the account compression program.
 *
 * Two fixed accounts come first, then the trees and queues of new addresses, of outputs, and of inputs.
 */
export function insertIntoQueuesInstruction(
  facts: TransitionFacts,
  contextOutputs: readonly PackedOutput[],
): Instruction {
  const table = new KeyTable();
  const data = encodeInsertIntoQueues(insertIntoQueuesOf(facts, table, contextOutputs));
  return {
    program: GENERATED_PROGRAMS.accountCompression,
    accounts: [
      readonly(SINGLETONS.compressionAuthority),
      readonly(GENERATED_PROGRAMS.registeredProgramPda),
      ...table.keys.map(writable),
    ],
    data,
    cpis: [],
  };
}

function insertIntoQueuesOf(
  facts: TransitionFacts,
  table: KeyTable,
  contextOutputs: readonly PackedOutput[],
): InsertIntoQueues {
  const addresses = facts.newAddresses.map(({ address, tree }) => ({
    address,
    treeIndex: table.positionOf(tree.tree),
    queueIndex: table.positionOf(tree.queue),
  }));
  const startOutputAppends = table.keys.length;
  const leaves = facts.outputs.map((output) => ({
    accountIndex: table.positionOf(appendTarget(output)),
    hash: output.hash,
  }));
  const nullifiers = facts.inputs.map(({ account, rootIndex }) => ({
    queueIndex: table.positionOf(account.tree.queue),
    treeIndex: table.positionOf(account.tree.tree),
    accountHash: account.hash,
    leafIndex: account.leafIndex,
    proveByIndex: rootIndex === null,
  }));
  const allocated = (items: readonly unknown[]) => Math.min(table.keys.length, items.length);
  return {
    ...{ startOutputAppends, leaves, nullifiers, addresses, contextOutputs },
    queueCount: countDistinct(facts.inputs.map(({ account }) => account.tree.queue)),
    outputQueueCount: countDistinct(facts.outputs.map(appendTarget)),
    addressQueueCount: countDistinct(facts.newAddresses.map(({ tree }) => tree.queue)),
    txHash: facts.txHash,
    outputSequences: padded(firstOfEach(facts.outputs, outputSequence), allocated(facts.outputs)),
    inputSequences: padded(firstOfEach(facts.inputs, inputSequence), allocated(facts.inputs)),
    addressSequences: padded(firstOfEach(facts.newAddresses, addressSequence), allocated(facts.newAddresses)),
    leafIndices: facts.outputs.map(({ leafIndex }) => leafIndex),
  };
}

/** V1 accounts are appended to the tree itself, V2 accounts to its output queue. */
function appendTarget({ tree }: CreatedAccount): Pubkey {
  return tree.type === 'stateV2' ? tree.queue : tree.tree;
}

function outputSequence(output: CreatedAccount): QueueSequence {
  const { tree, type } = output.tree;
  return { tree, queue: appendTarget(output), type, seq: output.seq ?? BigInt(output.leafIndex) };
}

/** Null for V1 trees, which do not number inputs. */
function inputSequence({ account, nullification }: ConsumedAccount): QueueSequence | null {
  const { tree, queue, type } = account.tree;
  return nullification && { tree, queue, type, seq: nullification.queueIndex };
}

/** Null for V1 trees, which do not number addresses. */
function addressSequence({ tree, queueIndex }: NewAddress): QueueSequence | null {
  return queueIndex === null ? null : { tree: tree.tree, queue: ZERO_PUBKEY, type: tree.type, seq: queueIndex };
}

/** The sequence of each tree's first item, in the order of the items. */
function firstOfEach<T>(items: readonly T[], sequenceOf: (item: T) => QueueSequence | null): QueueSequence[] {
  const sequences = items.map(sequenceOf).filter((sequence) => sequence !== null);
  return sequences.filter(({ tree }, i) => sequences.findIndex((other) => other.tree.equals(tree)) === i);
}

/** The program allocates one entry per item and uses one per tree; unused entries stay zero. */
function padded(sequences: QueueSequence[], allocated: number): (QueueSequence | null)[] {
  return [...sequences, ...Array<null>(Math.max(0, allocated - sequences.length)).fill(null)];
}

function countDistinct(keys: readonly Pubkey[]): number {
  const table = new KeyTable();
  for (const key of keys) table.positionOf(key);
  return table.keys.length;
}
