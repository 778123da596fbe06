import { type Block, JsonCursor, parseBlock } from '@fresnel/domain/events';
import { toSlot } from '@fresnel/domain/primitives';
import { type GeneratedBlock, generateLedger, type LedgerOptions } from '@fresnel/ledger-generator';

/** A branch that the chain abandons: some nodes have it for a while. */
export interface OrphanedBranch {
  /** The number of canonical blocks before it. */
  after: number;
  blocks: readonly GeneratedBlock[];
  /** The same blocks, parsed. */
  parsed: readonly Block[];
}

/** A chain with all that its nodes ever have. */
export interface SimulatedChain {
  canonical: readonly GeneratedBlock[];
  /** The same blocks, parsed. */
  parsed: readonly Block[];
  orphaned: readonly OrphanedBranch[];
  /** The number of canonical blocks that nodes have while there are faults. The others show that the index goes on. */
  contested: number;
}

/** A standstill is repaired when the index is 32 slots behind, so that many follow the contested ones. */
const SLOTS = 68;
/** Different chains; generating one takes longer than a run. */
const CHAINS = 4;
const CONTESTED = 20;
/** Canonical blocks before the branches, and their lengths. */
const BRANCHES = [
  { after: 5, length: 2 },
  { after: 10, length: 1 },
  { after: 15, length: 4 },
];

const generated = new Map<number, SimulatedChain>();

/** The chain of a seed: a few seeds share one. */
export function chainOf(seed: number): SimulatedChain {
  const variant = seed % CHAINS;
  const known = generated.get(variant);
  if (known) return known;
  const options: LedgerOptions = { seed: 100 + variant, slots: SLOTS, transactionsPerSlot: 1, skippedShare: 0.3 };
  const canonical = [...generateLedger(options)];
  const orphaned = BRANCHES.map(({ after, length }) => {
    const branch = { fromSlot: canonical[after].slot, seed: 1_000 * (variant + 1) + after };
    const blocks = take(generateLedger({ ...options, branch }), after + length).slice(after);
    return { after, blocks, parsed: blocks.map(parseGenerated) };
  });
  const chain = { canonical, parsed: canonical.map(parseGenerated), orphaned, contested: CONTESTED };
  generated.set(variant, chain);
  return chain;
}

/** The first items of a generator, which makes no others. */
function take<Item>(items: Iterable<Item>, count: number): Item[] {
  const taken: Item[] = [];
  for (const item of items) if (taken.push(item) === count) break;
  return taken;
}

function parseGenerated({ slot, json }: GeneratedBlock): Block {
  return parseBlock(new JsonCursor(json), toSlot(slot));
}
