import { whileAvailable } from '@fresnel/adapters/store-schema';
import { type Pubkey, type Slot, toPubkey, toSlot } from '@fresnel/domain/primitives';
import { type EntityManager } from 'typeorm';

/** A tree whose operations from a slot on are to be published again. */
export interface TreeRepublication {
  tree: Pubkey;
  fromSlot: Slot;
  /** Id of the newest request of the tree. */
  newestId: number;
}

/** Requests to publish the operations of trees again. They are stored until ingest has done so. */
export class TreeRepublications {
  constructor(private readonly manager: EntityManager) {}

  /** Requests the operations of trees from a slot on. */
  async request(trees: readonly Pubkey[], fromSlot: Slot): Promise<void> {
    await this.query(
      `INSERT INTO tree_republications (tree, from_slot) SELECT tree, $2 FROM unnest($1::bytea[]) AS list (tree)`,
      [trees, fromSlot],
    );
  }

  /** All requests, those of a tree as one, the lowest slots first. */
  async list(): Promise<TreeRepublication[]> {
    const rows = await this.query<{ tree: Buffer; from_slot: string; newest: string }>(
      `SELECT tree, min(from_slot) AS from_slot, max(id) AS newest FROM tree_republications
       GROUP BY tree ORDER BY 2, 1`,
    );
    return rows.map(({ tree, from_slot: slot, newest }) => {
      return { tree: toPubkey(tree), fromSlot: toSlot(Number(slot)), newestId: Number(newest) };
    });
  }

  /** Removes the requests of a tree. Those that were added since they were listed stay. */
  async remove({ tree, newestId }: TreeRepublication): Promise<void> {
    await this.query(`DELETE FROM tree_republications WHERE tree = $1 AND id <= $2`, [tree, newestId]);
  }

  private query<Row>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    return whileAvailable(() => this.manager.query<Row[]>(sql, parameters));
  }
}
