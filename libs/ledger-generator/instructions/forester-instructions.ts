import { type Pubkey } from '@fresnel/domain/primitives';
import { type TreeInfo } from '@fresnel/domain/trees';
import { BorshWriter } from '../encode/borsh-writer';
import { COMPRESSION_INSTRUCTIONS, REGISTRY_NULLIFY } from '../encode/discriminators';
import { type AddressBatchFacts, type CreatedAccount, type StateBatchFacts } from '../facts';
import { GENERATED_PROGRAMS, SINGLETONS } from '../keys';
import { type Instruction, readonly, writable } from './instruction';
import { noopInstruction } from './noop';

const BUMP = Buffer.of(255);
const PROOF_BYTES = 128;
const LOW_PROOF_BYTES = 16 * 32;

/** The keys with which a forester updates trees. */
export interface Forester {
  /** Signs. */
  key: Pubkey;
  /** The registry's PDA that registers the forester for the epoch. */
  epochPda: Pubkey;
}

/** V1 state tree: nullifies leaves. `event` is the payload for the noop program. */
export function nullifyLeavesInstruction(
  forester: Forester,
  tree: TreeInfo,
  leafIndices: readonly number[],
  event: Buffer,
): Instruction {
  const data = new BorshWriter();
  data.vector([0n], (changeLogIndex) => data.u64(changeLogIndex));
  data.vector(leafIndices, (leafIndex) => data.u16(leafIndex & 0xffff));
  data.vector(leafIndices, (leafIndex) => data.u64(leafIndex));
  data.fixed(Buffer.alloc(LOW_PROOF_BYTES, 3));
  const accounts = [readonly(GENERATED_PROGRAMS.noop), writable(tree.tree), writable(tree.queue)];
  const discriminators = { registry: REGISTRY_NULLIFY, compression: COMPRESSION_INSTRUCTIONS.nullifyLeaves };
  return registryInstruction(forester, accounts, { ...discriminators, body: data.toBuffer(), event });
}

/** Moves the leaf of an account from a V1 to a V2 state tree. `event` is the payload for the noop program. */
export function migrateStateInstruction(
  forester: Forester,
  { tree, hash, leafIndex }: CreatedAccount,
  target: TreeInfo,
  event: Buffer,
): Instruction {
  const changeLogIndex = 0;
  const data = new BorshWriter().u64(changeLogIndex).fixed(hash).u64(leafIndex).fixed(Buffer.alloc(LOW_PROOF_BYTES, 4));
  const accounts = [readonly(GENERATED_PROGRAMS.noop), writable(tree.tree), writable(target.queue)];
  const instruction = COMPRESSION_INSTRUCTIONS.migrateState;
  const body = data.toBuffer();
  return registryInstruction(forester, accounts, { registry: instruction, compression: instruction, body, event });
}

/** V1 address tree: inserts queued addresses. `event` is the payload for the noop program. */
export function updateAddressTreeInstruction(forester: Forester, tree: TreeInfo, event: Buffer): Instruction {
  const accounts = [writable(tree.queue), writable(tree.tree), readonly(GENERATED_PROGRAMS.noop)];
  const instruction = COMPRESSION_INSTRUCTIONS.updateAddressMerkleTree;
  const body = Buffer.alloc(LOW_PROOF_BYTES + 86, 5);
  return registryInstruction(forester, accounts, { registry: instruction, compression: instruction, body, event });
}

const BATCH_INSTRUCTIONS = {
  'outputs-appended': COMPRESSION_INSTRUCTIONS.batchAppend,
  'inputs-nullified': COMPRESSION_INSTRUCTIONS.batchNullify,
  'addresses-appended': COMPRESSION_INSTRUCTIONS.batchUpdateAddressTree,
} as const;

/** V2 trees: updates a tree with a batch of its queue. `event` is the payload for the noop program. */
export function batchUpdateInstruction(
  forester: Forester,
  { tree, queue }: TreeInfo,
  { kind, newRoot }: StateBatchFacts | AddressBatchFacts,
  event: Buffer,
): Instruction {
  const accounts = [readonly(GENERATED_PROGRAMS.noop), writable(tree)];
  if (kind === 'outputs-appended') accounts.push(writable(queue));
  const instruction = BATCH_INSTRUCTIONS[kind];
  const body = new BorshWriter().byteVector(Buffer.concat([newRoot, Buffer.alloc(PROOF_BYTES, 9)])).toBuffer();
  return registryInstruction(forester, accounts, { registry: instruction, compression: instruction, body, event });
}

interface RegistryInstruction {
  /** Discriminator of the registry's instruction. */
  registry: Buffer;
  /** Discriminator of the compression instruction that the registry calls. */
  compression: Buffer;
  body: Buffer;
  event: Buffer;
}

/**
 * ```
 * registry
 *   compression     accounts: authority | registration | two more, the tree and the queue; the tree is always fourth
 *     noop          the event
 * ```
 */
function registryInstruction(
  forester: Forester,
  accounts: Instruction['accounts'],
  instruction: RegistryInstruction,
): Instruction {
  const signing = [readonly(SINGLETONS.registryAuthority), readonly(SINGLETONS.registeredRegistryPda)];
  const compression: Instruction = {
    program: GENERATED_PROGRAMS.accountCompression,
    accounts: [...signing, ...accounts],
    data: Buffer.concat([instruction.compression, instruction.body]),
    cpis: [noopInstruction(instruction.event)],
  };
  return {
    program: GENERATED_PROGRAMS.lightRegistry,
    accounts: [
      writable(forester.epochPda),
      readonly(forester.key),
      ...signing,
      readonly(GENERATED_PROGRAMS.accountCompression),
      ...accounts,
    ],
    data: Buffer.concat([instruction.registry, BUMP, instruction.body]),
    cpis: [compression],
  };
}
