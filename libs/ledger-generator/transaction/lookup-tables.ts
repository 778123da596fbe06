import { keyOf, parsePubkey, type Pubkey } from '@fresnel/domain/primitives';
import { generatedTrees } from '../generated-trees';
import { GENERATED_PROGRAMS, SINGLETONS, SOLANA_PROGRAMS } from '../keys';

/** An on-chain list of keys that version 0 transactions name by position. */
export interface LookupTable {
  key: Pubkey;
  entries: readonly Pubkey[];
}

/** Two tables as clients keep them: one with programs and their singletons, one with trees and queues. */
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

const PLACES = new Map(
  LOOKUP_TABLES.flatMap(({ entries }, table) =>
    entries.map((key, position) => [keyOf(key), { table, position }] as const),
  ),
);

/** Where a key stands in the tables, null where in none. */
export function findInTables(key: Pubkey): { table: number; position: number } | null {
  return PLACES.get(keyOf(key)) ?? null;
}
