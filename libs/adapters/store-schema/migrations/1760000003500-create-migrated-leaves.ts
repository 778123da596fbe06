import { TREE_TYPES } from '@fresnel/domain/trees';
import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { BY_KEY } from './by-key';

/** Accounts whose leaves migrate from V1 to V2 state trees, see ADR 16. They are rare. */
export class CreateMigratedLeaves1760000003500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createTables(runner);
    await createPlacement(runner);
    await createRestoration(runner);
    await createPruning(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of ['prune_output_queue_ends', 'restore_migrated_leaves', 'place_migrated_leaves']) {
      await runner.query(`DROP FUNCTION ${name}`);
    }
    for (const table of ['output_queue_ends', 'migrated_leaves']) await runner.query(`DROP TABLE ${table}`);
  }
}

async function createTables(runner: QueryRunner): Promise<void> {
  // tree_id is the V2 tree. The rank among the leaves that migrated to it in the slot, and the leaf index that outputs of the
  // slot imply, are facts. The other columns are derived when the slot is indexed: the leaf index in the V2 tree, and the
  // place of the account before, if the account is stored.
  await runner.query(`
    CREATE TABLE migrated_leaves (
      slot bigint NOT NULL,
      tree_id integer NOT NULL,
      place integer NOT NULL,
      hash bytea NOT NULL,
      implied_leaf_index bigint,
      leaf_index bigint,
      v1_tree_id integer,
      v1_leaf_index bigint,
      v1_seq numeric(20,0),
      CONSTRAINT pk_migrated_leaves PRIMARY KEY (slot, tree_id, place)
    )`);
  await runner.query(`CREATE INDEX idx_migrated_leaves_hash ON migrated_leaves USING hash (hash)`);
  // Derived: the end of the output queue after each slot that adds leaves to it. The outputs of a slot state the end. If the
  // slot has none, it follows from the row before, and from the number of leaves that migrated.
  await runner.query(`
    CREATE TABLE output_queue_ends (
      tree_id integer NOT NULL,
      slot bigint NOT NULL,
      next_leaf_index bigint NOT NULL,
      -- 0 if the outputs of the slot state the end.
      counted_leaves bigint NOT NULL,
      CONSTRAINT pk_output_queue_ends PRIMARY KEY (tree_id, slot)
    )`);
}

/** The columns of `migrated_leaves m` that a move of its account needs. */
const MOVE_COLUMNS = 'm.slot, m.tree_id, m.place, m.hash, m.leaf_index, m.v1_tree_id';

async function createPlacement(runner: QueryRunner): Promise<void> {
  // Numbers the leaves that migrated in slots, and moves their accounts. If the slots join an index that has later slots
  // (includes_later), it also moves those that migrated later, as far as their places follow from these slots, or their accounts
  // are created in them. derive_slots calls it only if there may be such leaves, and stores the ends that outputs state before.
  await runner.query(`
    CREATE FUNCTION place_migrated_leaves(slots bigint[], includes_later boolean) RETURNS void
    LANGUAGE plpgsql ${BY_KEY} AS $$
    DECLARE
      oldest_block bigint;
      placed_slots bigint[] := slots;
      queue record;
      step record;
      reached bigint;
    BEGIN
      SELECT min(b.slot) INTO oldest_block FROM blocks b;

      INSERT INTO output_queue_ends (tree_id, slot, next_leaf_index, counted_leaves)
      SELECT m.tree_id, m.slot, max(m.implied_leaf_index) + 1, 0
      FROM unnest(slots) AS list (slot) JOIN migrated_leaves m ON m.slot = list.slot
      WHERE m.implied_leaf_index IS NOT NULL GROUP BY 1, 2
      ON CONFLICT (tree_id, slot) DO UPDATE
      SET next_leaf_index = greatest(output_queue_ends.next_leaf_index, excluded.next_leaf_index), counted_leaves = 0;
      UPDATE migrated_leaves m SET leaf_index = m.implied_leaf_index
      FROM unnest(slots) AS list (slot) WHERE m.slot = list.slot AND m.implied_leaf_index IS NOT NULL;

      -- Before the oldest block, ends are kept only where leaves were counted. For others, the end before is not known any more.
      INSERT INTO output_queue_ends (tree_id, slot, next_leaf_index, counted_leaves)
      SELECT m.tree_id, m.slot, 0, count(*)
      FROM unnest(slots) AS list (slot) JOIN migrated_leaves m ON m.slot = list.slot
      WHERE m.implied_leaf_index IS NULL AND (NOT includes_later OR m.slot >= oldest_block OR EXISTS (
        SELECT FROM output_queue_ends e WHERE e.tree_id = m.tree_id AND e.slot = m.slot AND e.counted_leaves > 0))
      GROUP BY 1, 2
      ON CONFLICT (tree_id, slot) DO UPDATE SET counted_leaves = excluded.counted_leaves;

      -- Counts from the first slot of the list up to the last one, and from there to the next end that outputs state.
      FOR queue IN
        SELECT e.tree_id, min(e.slot) AS first_slot, max(e.slot) AS last_slot
        FROM trees t CROSS JOIN unnest(slots) AS list (slot)
        JOIN output_queue_ends e ON e.tree_id = t.id AND e.slot = list.slot
        GROUP BY 1
      LOOP
        SELECT coalesce((
          SELECT e.next_leaf_index FROM output_queue_ends e
          WHERE e.tree_id = queue.tree_id AND e.slot < queue.first_slot ORDER BY e.slot DESC LIMIT 1), 0) INTO reached;
        FOR step IN
          SELECT e.slot, e.next_leaf_index, e.counted_leaves FROM output_queue_ends e
          WHERE e.tree_id = queue.tree_id AND e.slot >= queue.first_slot ORDER BY e.slot
        LOOP
          EXIT WHEN step.counted_leaves = 0 AND step.slot > queue.last_slot;
          IF step.counted_leaves = 0 THEN
            reached := step.next_leaf_index;
            CONTINUE;
          END IF;
          UPDATE migrated_leaves m SET leaf_index = reached + m.place
          WHERE m.slot = step.slot AND m.tree_id = queue.tree_id;
          reached := reached + step.counted_leaves;
          UPDATE output_queue_ends e SET next_leaf_index = reached
          WHERE e.tree_id = queue.tree_id AND e.slot = step.slot;
          placed_slots := placed_slots || step.slot;
        END LOOP;
      END LOOP;

      -- A leaf migrates once, from a V1 tree. An account that has moved already moves again if its place has changed.
      WITH moved AS MATERIALIZED (
        SELECT DISTINCT ON (m.hash) m.*, t.tree_type = ${TREE_TYPES.stateV1} AS is_in_v1, a.owner,
          a.tree_id AS old_tree_id, a.leaf_index AS old_leaf_index, a.seq AS old_seq
        FROM (
          SELECT ${MOVE_COLUMNS} FROM unnest(placed_slots) AS list (slot) JOIN migrated_leaves m ON m.slot = list.slot
          UNION ALL
          SELECT ${MOVE_COLUMNS} FROM unnest(slots) AS list (slot)
          JOIN transactions x ON x.id >= list.slot << 16 AND x.id < (list.slot + 1) << 16
          CROSS JOIN list_hashes(x.created) AS part
          JOIN migrated_leaves m ON m.hash = part.hash
          WHERE includes_later
        ) m
        JOIN accounts a ON a.hash = m.hash JOIN trees t ON t.id = a.tree_id
        WHERE m.leaf_index IS NOT NULL AND a.created_by >> 16 <= m.slot AND (
          t.tree_type = ${TREE_TYPES.stateV1} OR m.v1_tree_id IS NOT NULL AND a.leaf_index <> m.leaf_index)
        ORDER BY m.hash, m.slot, m.place
      ),
      origins AS (
        UPDATE migrated_leaves m
        SET v1_tree_id = moved.old_tree_id, v1_leaf_index = moved.old_leaf_index, v1_seq = moved.old_seq
        FROM moved
        WHERE moved.is_in_v1 AND m.slot = moved.slot AND m.tree_id = moved.tree_id AND m.place = moved.place
      ),
      lists AS (
        UPDATE unspent_accounts u SET leaf_index = moved.leaf_index
        FROM moved
        WHERE u.owner_digest = key_digest(moved.owner) AND u.leaf_index = moved.old_leaf_index AND u.hash = moved.hash
      )
      UPDATE accounts a SET tree_id = moved.tree_id, leaf_index = moved.leaf_index, seq = NULL
      FROM moved WHERE a.hash = moved.hash;

      IF includes_later THEN
        PERFORM prune_output_queue_ends((SELECT min(slot) FROM unnest(slots) AS list (slot)), oldest_block);
      END IF;
    END
    $$`);
}

async function createRestoration(runner: QueryRunner): Promise<void> {
  // Moves the accounts of leaves that migrated in slots back to the V1 trees. The ends of queues after the slots are deleted,
  // unless the slots are derived again (includes_later): then later ones follow from them meanwhile.
  await runner.query(`
    CREATE FUNCTION restore_migrated_leaves(slots bigint[], includes_later boolean) RETURNS void
    LANGUAGE plpgsql ${BY_KEY} AS $$
    BEGIN
      WITH restored AS MATERIALIZED (
        SELECT a.hash, a.owner, a.leaf_index, m.v1_tree_id, m.v1_leaf_index, m.v1_seq
        FROM unnest(slots) AS list (slot) JOIN migrated_leaves m ON m.slot = list.slot
        JOIN accounts a ON a.hash = m.hash
        WHERE m.v1_tree_id IS NOT NULL
      ),
      lists AS (
        UPDATE unspent_accounts u SET leaf_index = restored.v1_leaf_index
        FROM restored
        WHERE u.owner_digest = key_digest(restored.owner) AND u.leaf_index = restored.leaf_index
          AND u.hash = restored.hash
      )
      UPDATE accounts a
      SET tree_id = restored.v1_tree_id, leaf_index = restored.v1_leaf_index, seq = restored.v1_seq
      FROM restored WHERE a.hash = restored.hash;
      UPDATE migrated_leaves m SET leaf_index = NULL, v1_tree_id = NULL, v1_leaf_index = NULL, v1_seq = NULL
      FROM unnest(slots) AS list (slot) WHERE m.slot = list.slot;
      IF NOT includes_later THEN
        DELETE FROM output_queue_ends e USING trees t CROSS JOIN unnest(slots) AS list (slot)
        WHERE e.tree_id = t.id AND e.slot = list.slot;
      END IF;
    END
    $$`);
}

async function createPruning(runner: QueryRunner): Promise<void> {
  // Deletes the end before each end of these slots, unless leaves were counted at one of the two. So what is left before the
  // slots is the newest end of each queue, and the ends from which the places of migrated leaves follow.
  await runner.query(`
    CREATE FUNCTION prune_output_queue_ends(from_slot bigint, to_slot bigint) RETURNS void
    LANGUAGE plpgsql ${BY_KEY} AS $$
    BEGIN
      DELETE FROM output_queue_ends WHERE ctid = ANY (ARRAY(
        SELECT older.stored
        FROM trees t
        JOIN output_queue_ends e ON e.tree_id = t.id AND e.slot >= from_slot AND e.slot < to_slot
        CROSS JOIN LATERAL (
          SELECT o.ctid AS stored, o.counted_leaves FROM output_queue_ends o
          WHERE o.tree_id = e.tree_id AND o.slot < e.slot ORDER BY o.slot DESC LIMIT 1
        ) older
        WHERE e.counted_leaves = 0 AND older.counted_leaves = 0));
    END
    $$`);
}
