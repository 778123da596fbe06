import { PostgresTreeReads } from '@fresnel/adapters/tree-store';
import { LIVE_PROGRAMS } from '@fresnel/domain/events';
import { keyOf, parsePubkey, toSlot } from '@fresnel/domain/primitives';
import { type TreeHead } from '@fresnel/domain/trees';
import { encodeQueueAccount, encodeTreeAccount } from '@fresnel/testing/chain';
import { eventually } from '@fresnel/testing/generic';
import { FresnelProcess, type LiveLedger } from '@fresnel/testing/stack';
import { createTestDatabase } from '@fresnel/testing/store';

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
    for (const { info, seq, nextIndex, queueEnd, inputQueueEnd, root } of heads) {
      const ends = { queueEnd: info.type === 'stateV2' ? inputQueueEnd : queueEnd, inputQueueEnd };
      const observed = { slot: toSlot(tip), seq, nextIndex: BigInt(nextIndex), ...ends, root };
      const owner = LIVE_PROGRAMS.accountCompression;
      node.accounts.set(info.tree, { owner, data: encodeTreeAccount({ ...info, owner: OWNER, observed }) });
      if (keyOf(info.queue) !== keyOf(info.tree))
        node.accounts.set(info.queue, { owner, data: encodeQueueAccount(info) });
    }
    return heads;
  } finally {
    await database.drop();
  }
}
