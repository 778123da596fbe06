import { keyOf, parsePubkey, type Pubkey } from '@fresnel/domain/primitives';
import { generatedTrees } from '../generated-trees';
import { GENERATED_PROGRAMS, SINGLETONS, SOLANA_PROGRAMS } from '../keys';

/** An address lookup table: version 0 transactions load keys from it by position. */
export interface LookupTable {
  key: Pubkey;
  entries: readonly Pubkey[];
}

/** Two tables: one with programs and their singleton accounts, one with trees and queues. */
export const LOOKUP_TABLES: readonly LookupTable[] = [
  {
    key: parsePubkey('9NYFyEqPkyXUhkerbGHXUXkvb4qpzeEdHuGpgbgpH1NJ'),
    entries: [
      ...[GENERATED_PROGRAMS, SINGLETONS].flatMap((keys): Pubkey[] => Object.values(keys)),
      SOLANA_PROGRAMS.system,
      SOLANA_PROGRAMS.splToken,
    ],
  },
  {
    key: parsePubkey('7FwdbMLBGcuPJVUdjbKBpxrRrNYZUFvwcQg5JFxhSkRe'),
    entries: generatedTrees().flatMap(({ tree, queue }) => (tree.equals(queue) ? [tree] : [queue, tree])),
  },
];

const ENTRIES = new Map(
  LOOKUP_TABLES.flatMap(({ entries }, table) =>
    entries.map((key, position) => [keyOf(key), { table, position }] as const),
  ),
);

/** A key's table and position in it; null when it is in no table. */
export function findInTables(key: Pubkey): { table: number; position: number } | null {
  return ENTRIES.get(keyOf(key)) ?? null;
}
