import { InMemoryTreeStore } from '@fresnel/adapters/tree-store';
import { TREE_UPDATES } from '@fresnel/contracts/messages';
import { blockKey, type BlockRef } from '@fresnel/domain/chain';
import { type Block } from '@fresnel/domain/events';
import { keyOf, toBase58 } from '@fresnel/domain/primitives';
import { type TreeHead } from '@fresnel/domain/trees';
import { useTime } from '@fresnel/platform/time';
import { createTestIngest, PlayedBlocks, RecordingBus } from '@fresnel/testing/ingest';
import { TestProver } from '@fresnel/testing/prover';
import { headsOf } from '@fresnel/testing/trees';
import { Actors } from './actors';
import { type SimulatedChain } from './simulated-chain';
import { treeHasher } from './tree-hasher';
import { Unwatched } from './unwatched';
import { VirtualTime } from './virtual-time';

/** The roots of the trees after a block, in hexadecimal, by tree. */
type Roots = ReadonlyMap<string, string>;

interface Path {
  blocks: readonly Block[];
  /** The position of each block, by its key. */
  positions: ReadonlyMap<string, number>;
  /** The roots after each block. */
  roots: readonly Roots[];
  heads: readonly TreeHead[];
}

/** The trees of a chain after each block of each branch, from runs without faults. */
export class ChainRoots {
  private constructor(
    private readonly canonical: Path,
    private readonly orphaned: readonly Path[],
  ) {}

  static async of({ parsed, orphaned }: SimulatedChain): Promise<ChainRoots> {
    // The timers of these runs are not those of the world that asks, which only the first seed of a chain does.
    const restoreTime = useTime(new VirtualTime(new Actors()));
    try {
      const paths = [];
      for (const { after, parsed: branch } of orphaned)
        paths.push(await replay([...parsed.slice(0, after), ...branch]));
      return new ChainRoots(await replay(parsed), paths);
    } finally {
      restoreTime();
    }
  }

  /** The trees at the end of the chain, described. */
  get heads(): string[] {
    return this.canonical.heads.map(describeHead).sort();
  }

  /**
   * Whether a tree had a root after a block, or after a block that descends from it on any branch; or whether the chain had it at
   * the slot of the block or later.
   */
  hadRoot(tree: string, root: string, block: BlockRef): boolean {
    const hasAfter = ({ roots }: Path, from: number) => roots.slice(from).some((after) => after.get(tree) === root);
    const { canonical, orphaned } = this;
    const key = blockKey(block);
    const isOnBranch = [canonical, ...orphaned].some((path) => {
      const from = path.positions.get(key);
      return from !== undefined && hasAfter(path, from);
    });
    const newest = canonical.blocks.findLastIndex(({ slot }) => slot <= block.slot);
    return isOnBranch || hasAfter(canonical, Math.max(newest, 0));
  }
}

export function describeHead({ info, seq, nextIndex, root, queueEnd, quarantineReason }: TreeHead): string {
  const numbers = `seq ${seq}, next index ${nextIndex}, queue end ${queueEnd}`;
  return `${toBase58(info.tree).slice(0, 8)}: ${numbers}, root ${toBase58(root).slice(0, 8)}, ${quarantineReason ?? 'served'}`;
}

/** Indexes blocks one after the other. */
async function replay(blocks: readonly Block[]): Promise<Path> {
  const bus = new RecordingBus();
  await createTestIngest({ source: new PlayedBlocks(blocks), bus }).run(new AbortController().signal, new Unwatched());
  const store = await InMemoryTreeStore.open(treeHasher.hash, null);
  const prover = new TestProver(store, treeHasher.hash);
  const changed = new Map<number, Roots>();
  for (const message of bus.inTopic(TREE_UPDATES)) {
    if (message.kind !== 'update' && message.kind !== 'watermark') continue;
    await prover.apply([message]);
    if (message.kind === 'watermark') changed.set(message.slot, rootsOf(await headsOf(store)));
  }
  await prover.end();
  let current: Roots = new Map();
  const roots = blocks.map(({ slot }) => (current = changed.get(slot) ?? current));
  const positions = new Map(blocks.map((block, at) => [blockKey(block), at]));
  return { blocks, positions, roots, heads: await headsOf(store) };
}

function rootsOf(heads: readonly TreeHead[]): Roots {
  return new Map(heads.map(({ info, root }) => [keyOf(info.tree), root.toString('hex')]));
}
