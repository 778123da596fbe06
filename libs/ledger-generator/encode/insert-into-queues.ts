import { type Hash, type Pubkey, ZERO_PUBKEY } from '@fresnel/domain/primitives';
import { TREE_TYPES, type TreeType } from '@fresnel/domain/trees';
import { BorshWriter } from './borsh-writer';
import { COMPRESSION_INSTRUCTIONS } from './discriminators';
import { type PackedOutput, writeOutput } from './packed-account';

/** The instruction with which the light system program passes a transition to the account compression program. */
export interface InsertIntoQueues {
  /** Number of distinct nullifier queues and V2 trees of the inputs. */
  queueCount: number;
  outputQueueCount: number;
  /** Position of the first output tree or queue among the accounts. */
  startOutputAppends: number;
  addressQueueCount: number;
  /** All zero unless the instruction requests a transaction hash. */
  txHash: Hash;
  leaves: readonly { accountIndex: number; hash: Hash }[];
  nullifiers: readonly InsertedNullifier[];
  addresses: readonly { address: Hash; treeIndex: number; queueIndex: number }[];
  /** Null for an allocated and unused entry. */
  outputSequences: readonly (QueueSequence | null)[];
  inputSequences: readonly (QueueSequence | null)[];
  addressSequences: readonly (QueueSequence | null)[];
  leafIndices: readonly number[];
  /** Outputs from the CPI context, which come before those of the executing instruction. */
  contextOutputs: readonly PackedOutput[];
}

/** An account to be consumed; tree and queue are positions among the accounts. */
export interface InsertedNullifier {
  accountHash: Hash;
  leafIndex: number;
  proveByIndex: boolean;
  treeIndex: number;
  queueIndex: number;
}

/** The sequence number or queue index of the first item of a tree or queue in this instruction. */
export interface QueueSequence {
  tree: Pubkey;
  queue: Pubkey;
  type: TreeType;
  seq: bigint;
}

const INVOKED_BY_PROGRAM = 1;
const BUMP = 255;
const UNUSED = { tree: ZERO_PUBKEY, queue: ZERO_PUBKEY, typeCode: 0, seq: 0n };

/**
 * ```
 * discriminator 8 | length u32 | header 38 | leaves | nullifiers | addresses
 *   | output, input and address sequence numbers | leaf indices | CPI-context outputs
 * ```
 *
 * Counts are u8, except for the last vector, which is plain Borsh.
 */
export function encodeInsertIntoQueues(insert: InsertIntoQueues): Buffer {
  const body = new BorshWriter();
  writeHeader(body, insert);
  body.shortVector(insert.leaves, ({ accountIndex, hash }) => body.u8(accountIndex).fixed(hash));
  body.shortVector(insert.nullifiers, (nullifier) => {
    writeNullifier(body, nullifier);
  });
  body.shortVector(insert.addresses, ({ address, treeIndex, queueIndex }) =>
    body.fixed(address).u8(treeIndex).u8(queueIndex),
  );
  for (const sequences of [insert.outputSequences, insert.inputSequences, insert.addressSequences]) {
    body.shortVector(sequences, (sequence) => {
      writeSequence(body, sequence);
    });
  }
  body.shortVector(insert.leafIndices, (leafIndex) => body.u32(leafIndex));
  body.vector(insert.contextOutputs, (output) => {
    writeOutput(body, output);
  });
  return new BorshWriter().fixed(COMPRESSION_INSTRUCTIONS.insertIntoQueues).byteVector(body.toBuffer()).toBuffer();
}

function writeHeader(writer: BorshWriter, insert: InsertIntoQueues): void {
  writer.u8(INVOKED_BY_PROGRAM).u8(BUMP);
  writer.u8(insert.queueCount).u8(insert.outputQueueCount);
  writer.u8(insert.startOutputAppends).u8(insert.addressQueueCount).fixed(insert.txHash);
}

/** account hash 32 | leaf index u32 | prove by index u8 | tree u8 | queue u8 */
function writeNullifier(writer: BorshWriter, nullifier: InsertedNullifier): void {
  writer.fixed(nullifier.accountHash).u32(nullifier.leafIndex).bool(nullifier.proveByIndex);
  writer.u8(nullifier.treeIndex).u8(nullifier.queueIndex);
}

/** tree 32 | queue 32 | type u64 | seq u64 */
function writeSequence(writer: BorshWriter, sequence: QueueSequence | null): void {
  const { tree, queue, typeCode, seq } = sequence ? { ...sequence, typeCode: TREE_TYPES[sequence.type] } : UNUSED;
  writer.fixed(tree).fixed(queue).u64(typeCode).u64(seq);
}
