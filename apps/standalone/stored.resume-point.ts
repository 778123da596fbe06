import { type BlockRef } from '@fresnel/adapters/chain';
import { type ProjectionStore } from '@fresnel/adapters/store-write';
import { type RecentBlock, type TreeStore } from '@fresnel/adapters/tree-store';
import { keyOf, type Slot, toHash, toSlot } from '@fresnel/domain/primitives';
import { type BegunBlock, HELD_BLOCKS, type ResumePoint, type ResumeState } from '@fresnel/features/ingest';
import { type DataSource } from 'typeorm';

interface StoredRow {
  slot: string;
  blockhash: Buffer;
  parent_slot: string;
}

const INDEXED_BLOCKS = `
  SELECT b.slot, b.blockhash, b.parent_slot FROM blocks b, indexer_state s
  WHERE b.slot BETWEEN s.first_slot AND s.indexed_slot AND`;

/** Newest first. */
const UP_TO_SLOT = `${INDEXED_BLOCKS} b.slot <= $1 ORDER BY b.slot DESC LIMIT $2`;
const BEYOND_SLOT = `${INDEXED_BLOCKS} b.slot > $1 ORDER BY b.slot DESC LIMIT $2`;

/** Both consumers keep their data in the database, so the one that is behind says where to go on. */
export class StoredResumePoint implements ResumePoint {
  constructor(
    private readonly dataSource: DataSource,
    private readonly store: ProjectionStore,
    private readonly trees: Pick<TreeStore, 'findSlot' | 'readBlocks'>,
  ) {}

  async find(chain: string): Promise<ResumeState> {
    await this.store.claimChain(chain);
    const treeSlot = (await this.trees.findSlot()) ?? -1;
    const met = await this.trees.readBlocks(0);
    const published = await this.findBlocks(UP_TO_SLOT, treeSlot);
    const inTables = await this.findBlocks(BEYOND_SLOT, treeSlot);
    const inTrees = linkMet(met).filter(({ slot }) => slot > (published.at(-1)?.slot ?? -1));
    const reverted = await this.findReverted(published.at(0)?.slot ?? -1, met);
    const isReverted = new Set(reverted.map(({ blockhash }) => keyOf(blockhash)));
    const begun = inTables.length > 0 ? inTables : inTrees;
    return { published, begun: begun.filter(({ blockhash }) => !isReverted.has(keyOf(blockhash))), reverted };
  }

  private async findBlocks(sql: string, slot: number): Promise<(BegunBlock & { parentSlot: Slot })[]> {
    const rows = await this.dataSource.query<StoredRow[]>(sql, [slot, HELD_BLOCKS]);
    return rows.reverse().map((row) => ({ ...toRef(row), parentSlot: toSlot(Number(row.parent_slot)) }));
  }

  /** By tables or trees, after a slot, newest first. */
  private async findReverted(after: number, met: readonly RecentBlock[]): Promise<ResumeState['reverted']> {
    const rows = await this.dataSource.query<Pick<StoredRow, 'slot' | 'blockhash'>[]>(
      `SELECT slot, blockhash FROM abandoned_blocks WHERE slot > $1`,
      [after],
    );
    const abandoned = [...rows.map(toRef), ...met.filter(({ slot, isAbandoned }) => isAbandoned && slot > after)];
    const unique = new Map(abandoned.map(({ slot, blockhash }) => [keyOf(blockhash), { slot, blockhash }]));
    const newestFirst = [...unique.values()].sort((a, b) => b.slot - a.slot);
    return newestFirst.map((block) => ({ kind: 'slot-reverted', ...block }));
  }
}

/** The blocks that trees follow, each behind the one before it. What came before the first is not known. */
function linkMet(met: readonly RecentBlock[]): BegunBlock[] {
  const followed = met.filter(({ isAbandoned }) => !isAbandoned);
  return followed.map(({ slot, blockhash }, at) => {
    const parentSlot = toSlot(at === 0 ? Math.max(slot - 1, 0) : followed[at - 1].slot);
    return { slot, blockhash, parentSlot };
  });
}

function toRef({ slot, blockhash }: Pick<StoredRow, 'slot' | 'blockhash'>): BlockRef {
  return { slot: toSlot(Number(slot)), blockhash: toHash(blockhash) };
}
