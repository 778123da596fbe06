import { type Pubkey } from '@fresnel/domain/primitives';
import { type TreeInfo } from '@fresnel/domain/trees';
import { BorshWriter } from '../encode/borsh-writer';
import { COMPRESSION_INSTRUCTIONS, REGISTRY_NULLIFY } from '../encode/discriminators';
import { type AddressBatchFacts, type StateBatchFacts } from '../facts';
import { GENERATED_PROGRAMS, SINGLETONS } from '../keys';
import { type Call, readonly, writable } from './call';
import { callNoop } from './noop-call';

const BUMP = Buffer.of(255);
const PROOF_BYTES = 128;
const LOW_PROOF_BYTES = 16 * 32;

/** Who moves queues into trees. */
export interface Forester {
  /** Signs. */
  key: Pubkey;
  /** The registry's account that lets it act in this epoch. */
  epochPda: Pubkey;
}

/** V1 state tree: the leaves become empty. `event` is the payload that says so. */
export function callNullifyLeaves(
  forester: Forester,
  tree: TreeInfo,
  leafIndices: readonly number[],
  event: Buffer,
): Call {
  const data = new BorshWriter();
  data.vector([0n], (changeLogIndex) => data.u64(changeLogIndex));
  data.vector(leafIndices, (leafIndex) => data.u16(leafIndex & 0xffff));
  data.vector(leafIndices, (leafIndex) => data.u64(leafIndex));
  data.fixed(Buffer.alloc(LOW_PROOF_BYTES, 3));
  const accounts = [readonly(GENERATED_PROGRAMS.noop), writable(tree.tree), writable(tree.queue)];
  const names = { registry: REGISTRY_NULLIFY, compression: COMPRESSION_INSTRUCTIONS.nullifyLeaves };
  return callRegistry(forester, accounts, { ...names, body: data.toBuffer(), event });
}

/** V1 address tree: addresses of the queue become elements. */
export function callUpdateAddressTree(forester: Forester, tree: TreeInfo, event: Buffer): Call {
  const accounts = [writable(tree.queue), writable(tree.tree), readonly(GENERATED_PROGRAMS.noop)];
  const instruction = COMPRESSION_INSTRUCTIONS.updateAddressTree;
  const body = Buffer.alloc(LOW_PROOF_BYTES + 86, 5);
  return callRegistry(forester, accounts, { registry: instruction, compression: instruction, body, event });
}

const BATCH_INSTRUCTIONS = {
  'outputs-appended': COMPRESSION_INSTRUCTIONS.batchAppend,
  'inputs-nullified': COMPRESSION_INSTRUCTIONS.batchNullify,
  'addresses-appended': COMPRESSION_INSTRUCTIONS.batchUpdateAddressTree,
} as const;

/** V2 trees: a batch of a queue enters the tree. */
export function callBatch(
  forester: Forester,
  { tree, queue }: TreeInfo,
  { kind, newRoot }: StateBatchFacts | AddressBatchFacts,
  event: Buffer,
): Call {
  const accounts = [readonly(GENERATED_PROGRAMS.noop), writable(tree)];
  if (kind === 'outputs-appended') accounts.push(writable(queue));
  const instruction = BATCH_INSTRUCTIONS[kind];
  const body = new BorshWriter().byteVector(Buffer.concat([newRoot, Buffer.alloc(PROOF_BYTES, 9)])).toBuffer();
  return callRegistry(forester, accounts, { registry: instruction, compression: instruction, body, event });
}

interface ForesterInstruction {
  /** First 8 bytes of the registry's instruction and of the one that it calls. */
  registry: Buffer;
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
function callRegistry(forester: Forester, accounts: Call['accounts'], instruction: ForesterInstruction): Call {
  const signing = [readonly(SINGLETONS.registryAuthority), readonly(SINGLETONS.registeredRegistryPda)];
  const compression: Call = {
    program: GENERATED_PROGRAMS.accountCompression,
    accounts: [...signing, ...accounts],
    data: Buffer.concat([instruction.compression, instruction.body]),
    calls: [callNoop(instruction.event)],
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
    calls: [compression],
  };
}
