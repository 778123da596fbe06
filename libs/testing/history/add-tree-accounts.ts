import { PostgresTreeReads } from '@fresnel/adapters/tree-store';
import { parsePubkey } from '@fresnel/domain/primitives';
import { type TreeHead } from '@fresnel/domain/trees';
import { eventually } from '@fresnel/testing/generic';
import { FresnelProcess, type LiveLedger } from '@fresnel/testing/stack';
import { createTestDatabase } from '@fresnel/testing/store';
import { setTreeAccounts } from './tree-accounts';

/** The default of TREE_OWNER: a node lists the trees of this owner. */
const OWNER = parsePubkey('24rt4RgeyjUCWGS2eF7L7gyNMuz6JWdqYpAvb1KRoHxs');

/**
 * Gives the node of a ledger the accounts of trees and queues at its tip: what an index of all its blocks computes.
 *
 * @returns the trees
 */
export async function addTreeAccounts({ node, env, tip }: LiveLedger): Promise<TreeHead[]> {
  const database = await createTestDatabase();
  try {
    const app = FresnelProcess.start([], { ...env, DATABASE_URL: database.url });
    const trees = new PostgresTreeReads(database.dataSource.manager);
    await app.waitForSlot(tip);
    await eventually('all trees have the tip', async () => {
      const partitions = [...(await trees.listPartitions()).values()];
      return partitions.every(({ slot }) => slot === tip);
    });
    await app.end('SIGTERM');
    const heads = await trees.listHeads();
    setTreeAccounts(
      node,
      heads.map(({ info, ...head }) => ({ ...head, info: { ...info, owner: OWNER } })),
    );
    return heads;
  } finally {
    await database.drop();
  }
}
