import { FresnelError } from '@fresnel/domain/primitives';
import { readExecutedGroups } from './executed-transaction.codec';
import { groupInstructions, type InstructionGroup } from './instruction-groups';
import { parseRawTransaction, type RawTransaction, wireOf } from './raw-transaction';
import { decodeTransaction } from './transaction.codec';
import { parseTransactionMeta } from './transaction-meta';

/**
 * Counts the instructions that a transaction has executed, as far as its source has kept them.
 *
 * @param json as `TransactionParser` takes it
 * @returns 0 if it cannot be decoded
 */
export function countInstructions(json: string): number {
  try {
    return groupsOf(parseRawTransaction(json)).reduce((sum, { length }) => sum + length, 0);
  } catch (error) {
    if (!(error instanceof FresnelError)) throw error;
    return 0;
  }
}

function groupsOf(raw: RawTransaction): InstructionGroup[] {
  if (raw.executed !== undefined) return readExecutedGroups(raw.executed);
  const wire = wireOf(raw);
  return wire ? groupInstructions(decodeTransaction(wire), parseTransactionMeta(raw.meta)) : [];
}
