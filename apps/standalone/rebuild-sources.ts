import { readAccount, setCommitment, SolanaRpc } from '@fresnel/adapters/chain';
import { WorkerPool } from '@fresnel/adapters/worker-pool';
import { ProjectionStore } from '@fresnel/adapters/store-write';
import { PostgresTreeReads, replaceTree } from '@fresnel/adapters/tree-store';
import { type RebuildSources } from '@fresnel/features/operations';
import { type ConfigOf, type Logger } from '@fresnel/platform';
import { now, timeout } from '@fresnel/platform/time';
import { type OperatorDatabase } from './operator-database';
import { type TREES_CONFIG } from './operator.config';

type Config = ConfigOf<typeof TREES_CONFIG>;

const RPC = { timeoutMs: 30_000, backoff: { firstMs: 100, longestMs: 1_000, isRandom: true } };
/** How long the account of a tree is requested. */
const ACCOUNT_MS = 60_000;
const PROGRESS_INTERVAL_MS = 5_000;

/** Calls an action with what a rebuild of a tree reads and writes. */
export async function withRebuildSources<Result>(
  { dataSource }: OperatorDatabase,
  config: Config,
  logger: Logger,
  act: (sources: RebuildSources) => Promise<Result>,
): Promise<Result> {
  const pool = new WorkerPool({ threads: config.WORKER_THREADS });
  try {
    return await act({
      trees: new PostgresTreeReads(dataSource.manager),
      replace: (before, rebuilt, fromSlot) => replaceTree(dataSource, before, rebuilt, fromSlot),
      readAccount: accountReader(config, logger),
      findFirstSlot: () => new ProjectionStore(dataSource).findFirstSlot(),
      hasher: pool.treeHasher,
      onProgress: progressLogger(logger),
    });
  } finally {
    await pool.close();
  }
}

function accountReader(
  { SOLANA_RPC_URL: urls, SOLANA_COMMITMENT }: Config,
  logger: Logger,
): RebuildSources['readAccount'] {
  if (urls === undefined) return null;
  const rpc = new SolanaRpc({ urls, ...RPC }, logger);
  setCommitment(rpc, SOLANA_COMMITMENT ?? null, logger);
  return async (account, minContextSlot) => {
    const reading = { minContextSlot, retryForMs: ACCOUNT_MS };
    return (await readAccount(rpc, account, reading, timeout(2 * ACCOUNT_MS))).data;
  };
}

function progressLogger(logger: Logger): RebuildSources['onProgress'] {
  let loggedAt = now();
  return (leaves, allLeaves) => {
    if (now() - loggedAt < PROGRESS_INTERVAL_MS) return;
    loggedAt = now();
    logger.info({ leaves, allLeaves }, 'hashing the leaves of a tree');
  };
}
