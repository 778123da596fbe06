import { BorshReader, MalformedBytesError } from '@fresnel/domain/primitives';
import { COMPRESSION_INSTRUCTIONS, DISCRIMINATOR_BYTES, startsWith } from './discriminators';
import { type LeafMigratedEvent } from './events';
import { type Instruction } from './instruction-groups';

/** Index of the output queue among the accounts, after the authority, its registration, the noop program and the V1 tree. */
const QUEUE_ACCOUNT = 4;
const CHANGE_LOG_INDEX_BYTES = 8;

/**
 * Reads the leaf that an account compression instruction moved to a V2 tree. The program emits an event only for the V1 tree,
 * so the rest is read from the instruction:
 *
 * ```
 * discriminator 8 | change log index u64 | leaf 32 | leaf index u64 | proof 16 x 32
 * ```
 *
 * @param emitter the instruction that emitted an authentic event
 * @returns null for another instruction
 * @throws MalformedBytesError
 */
export function findMigratedLeaf(emitter: Instruction): LeafMigratedEvent | null {
  if (!startsWith(emitter.data, COMPRESSION_INSTRUCTIONS.migrateState)) return null;
  const queue = emitter.accounts.at(QUEUE_ACCOUNT);
  if (!queue) throw new MalformedBytesError(`a migrated leaf with ${emitter.accounts.length} accounts`);
  const hash = new BorshReader(emitter.data).skip(DISCRIMINATOR_BYTES + CHANGE_LOG_INDEX_BYTES).hash();
  return { kind: 'leaf-migrated', queue, hash };
}
