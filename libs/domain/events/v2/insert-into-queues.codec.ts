import { BorshReader, type Hash, isZero, keyOf, MalformedBytesError, type Pubkey } from '@fresnel/domain/primitives';
import { type PackedOutput, readPackedOutputs } from '../compressed-account.codec';
import { type NewAddress, type QueuedNullification, type TreeSequence } from '../events';
import { type Instruction } from '../instruction-groups';

/**
 * The instruction with which the light system program writes to trees and queues. The program itself builds it, so it
 * is always valid.
 */
export interface InsertIntoQueues {
  txHash: Hash;
  leaves: { hash: Hash; leafIndex: number; treeAccount: Pubkey }[];
  inputs: { hash: Hash; nullification: QueuedNullification | null }[];
  newAddresses: NewAddress[];
  /** The first number in each tree: a sequence number in V1 trees, a leaf index in V2 output queues. */
  outputSequences: TreeSequence[];
  /** Outputs from a CPI context account. They precede the outputs of the system instruction. */
  cpiContextOutputs: PackedOutput[];
}

/** Number of accounts before those that indices in the data refer to. */
const FIXED_ACCOUNTS = 2;
const HEADER_FLAGS_BYTES = 6;

/**
 * ```
 * discriminator 8 | length u32
 * invoked by program, bump, queues, output queues, start of appends, address queues: 6 x u8 | tx hash 32
 * leaves            u8 n, each: account u8, hash 32
 * nullifiers        u8 n, each: hash 32, leaf index u32, by index u8, tree u8, queue u8
 * addresses         u8 n, each: address 32, tree u8, queue u8
 * output sequences  u8 n, each: tree 32, queue 32, tree type u64, number u64     an all-zero tree marks an unused entry
 * input sequences   the same
 * address sequences the same
 * leaf indices      u8 n, each: u32
 * CPI-context outputs: Borsh vector of accounts with tree index
 * ```
 *
 * @throws MalformedBytesError
 */
export function decodeInsertIntoQueues(instruction: Instruction): InsertIntoQueues {
  const treeAccounts = instruction.accounts.slice(FIXED_ACCOUNTS);
  const accountAt = (index: number): Pubkey => {
    if (index >= treeAccounts.length) throw new MalformedBytesError(`account ${index} of ${treeAccounts.length}`);
    return treeAccounts[index];
  };
  const input = new BorshReader(instruction.data).skip(12).skip(HEADER_FLAGS_BYTES);
  const txHash = input.hash();
  const leaves = input.shortVector(33, () => ({ treeAccount: accountAt(input.u8()), hash: input.hash() }));
  const nullifiers = input.shortVector(39, () => readNullifier(input, accountAt));
  const addresses = input.shortVector(34, () => readAddress(input, accountAt));
  const outputSequences = readSequences(input);
  const inputSequences = readSequences(input);
  const addressSequences = readSequences(input);
  const leafIndices = input.shortVector(4, () => input.u32());
  const cpiContextOutputs = readPackedOutputs(input);
  if (leafIndices.length < leaves.length) {
    throw new MalformedBytesError(`${leaves.length} leaves with ${leafIndices.length} leaf indices`);
  }
  const queuePosition = countFrom(inputSequences);
  const addressPosition = countFrom(addressSequences);
  return {
    txHash,
    leaves: leaves.map((leaf, position) => ({ ...leaf, leafIndex: leafIndices[position] })),
    inputs: nullifiers.map(({ hash, leafIndex, tree }) => {
      const queueIndex = queuePosition(tree);
      return { hash, nullification: queueIndex === null ? null : { tree, leafIndex, queueIndex, txHash } };
    }),
    newAddresses: addresses.map(({ address, tree }) => ({ address, tree, queueIndex: addressPosition(tree) })),
    outputSequences,
    cpiContextOutputs,
  };
}

function readNullifier(input: BorshReader, accountAt: (index: number) => Pubkey) {
  const hash = input.hash();
  const leafIndex = input.u32();
  input.u8(); // proven by index
  const tree = accountAt(input.u8());
  input.u8(); // queue
  return { hash, leafIndex, tree };
}

function readAddress(input: BorshReader, accountAt: (index: number) => Pubkey) {
  const address = input.hash();
  const tree = accountAt(input.u8());
  input.u8(); // queue
  return { address, tree };
}

function readSequences(input: BorshReader): TreeSequence[] {
  const entries = input.shortVector(80, () => {
    const tree = input.pubkey();
    input.skip(32 + 8); // queue, tree type
    return { tree, seq: input.u64() };
  });
  return entries.filter(({ tree }) => !isZero(tree));
}

/**
 * Returns a function that assigns consecutive numbers of a tree, in the order of the chain; null for a tree without
 * numbers.
 */
function countFrom(sequences: TreeSequence[]): (tree: Pubkey) => bigint | null {
  const next = new Map(sequences.map(({ tree, seq }) => [keyOf(tree), seq]));
  return (tree) => {
    const key = keyOf(tree);
    const position = next.get(key);
    if (position === undefined) return null;
    next.set(key, position + 1n);
    return position;
  };
}
