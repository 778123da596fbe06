import { whileAvailable } from '@fresnel/adapters/store-schema';
import { type Pubkey, type Slot, toPubkey, toSlot } from '@fresnel/domain/primitives';
import { type EntityManager } from 'typeorm';

/** A tree whose operations from a slot on are to be published again. */
export interface TreeRepublication {
  tree: Pubkey;
  fromSlot: Slot;
  /** How often it was requested. */
  requests: number;
}

/** Requests to publish the operations of trees again. They are stored until ingest has done so. */
export class TreeRepublications {
  constructor(private readonly manager: EntityManager) {}

  /** Requests the operations of trees from a slot on. An earlier slot that was requested before stays. */
  async request(trees: readonly Pubkey[], fromSlot: Slot): Promise<void> {
    await this.query(
      `INSERT INTO address_tree_republications AS r (tree, from_slot) SELECT tree, $2 FROM unnest($1::bytea[]) AS list (tree)
       ON CONFLICT (tree) DO UPDATE SET
         from_slot = least(r.from_slot, excluded.from_slot), requests = r.requests + 1`,
      [trees, fromSlot],
    );
  }

  /** All requests, those with the lowest slots first. */
  async list(): Promise<TreeRepublication[]> {
    const rows = await this.query<{ tree: Buffer; from_slot: string; requests: number }>(
      `SELECT tree, from_slot, requests FROM address_tree_republications ORDER BY from_slot, tree`,
    );
    return rows.map(({ tree, from_slot: slot, requests }) => {
      return { tree: toPubkey(tree), fromSlot: toSlot(Number(slot)), requests };
    });
  }

  /** Removes a request, unless it was repeated since it was listed. */
  async remove({ tree, requests }: TreeRepublication): Promise<void> {
    await this.query(`DELETE FROM address_tree_republications WHERE tree = $1 AND requests = $2`, [tree, requests]);
  }

  private query<Row>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    return whileAvailable(() => this.manager.query<Row[]>(sql, parameters));
  }
}
