import { type EntityManager } from 'typeorm';
import { OtherLogError, type TreeLog } from './tree-journal';

/** Trees belong to the log of the first commit. The row is locked, so that they are not handed over during a commit. */
const CLAIM_LOG = `
  INSERT INTO tree_log AS l (topic, generation) VALUES ($1, $2)
  ON CONFLICT (is_only) DO NOTHING`;

/** Locks the log of the trees until the transaction ends; the first commit decides which one it is. @throws OtherLogError */
export async function requireLogForCommit(manager: EntityManager, log: TreeLog): Promise<void> {
  if (await isLog(manager, log, 'FOR SHARE')) return;
  await manager.query(CLAIM_LOG, [log.topic, log.generation]);
  await isLog(manager, log, 'FOR SHARE');
}

/** @throws OtherLogError if the trees belong to another log */
export async function requireLog(manager: EntityManager, log: TreeLog): Promise<void> {
  await isLog(manager, log);
}

/** @returns false if the trees belong to no log yet @throws OtherLogError */
async function isLog(manager: EntityManager, log: TreeLog, lock = ''): Promise<boolean> {
  const [owner] = await manager.query<(TreeLog | undefined)[]>(`SELECT topic, generation FROM tree_log ${lock}`);
  if (!owner) return false;
  if (owner.topic !== log.topic || owner.generation !== log.generation) throw new OtherLogError(owner, log);
  return true;
}

/** Hands the trees over to another log. Waits for commits in progress; later ones of the log before are refused. */
export async function handOverTrees(manager: EntityManager, { topic, generation }: TreeLog): Promise<void> {
  await manager.query(
    `INSERT INTO tree_log (topic, generation) VALUES ($1, $2)
     ON CONFLICT (is_only) DO UPDATE SET topic = excluded.topic, generation = excluded.generation`,
    [topic, generation],
  );
}

/** Trees that belong to a log go on in its next generation: the records before it are applied, or were given up. */
export async function startTreeGeneration(manager: EntityManager, { topic, generation }: TreeLog): Promise<void> {
  await manager.query(`UPDATE tree_log SET generation = $2 WHERE topic = $1`, [topic, generation]);
}
