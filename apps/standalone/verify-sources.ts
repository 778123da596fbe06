import {
  IndexRpc,
  readAccount,
  RpcTreeSource,
  setCommitment,
  SolanaRpc,
  type TreeSource,
} from '@fresnel/adapters/chain';
import { findLastTransactionId, findTransactionsFrom, Reader } from '@fresnel/adapters/store-read';
import { HistoryStore, ProjectionStore } from '@fresnel/adapters/store-write';
import { PostgresTreeReads } from '@fresnel/adapters/tree-store';
import { toChainConfig } from '@fresnel/config';
import { poseidon } from '@fresnel/domain/poseidon';
import { isAddressTree, parseTreeAccount, type TreeInfo } from '@fresnel/domain/trees';
import { HistoryCheck, TreeCheck } from '@fresnel/features/ingest';
import { type AskIndex, type CheckedTree, NodeRoots, type VerificationParts } from '@fresnel/features/operations';
import { type ConfigOf, type Logger } from '@fresnel/platform';
import { type OperatorDatabase } from './operator-database';
import { type VERIFY_CONFIG } from './operator.config';

type Config = ConfigOf<typeof VERIFY_CONFIG>;
type ReadNodeAccount = ConstructorParameters<typeof NodeRoots>[0];

const DATABASE_TIMEOUT_MS = 30_000;
const RPC = { timeoutMs: 30_000, backoff: { firstMs: 100, longestMs: 10_000, isRandom: true } };
/** How long an account is requested again. */
const ACCOUNT_MS = 60_000;
const TREE_CHECK = { attempts: 5, pauseMs: 2_000, waitMs: 120_000 };

/** Calls an action with what a verification reads. */
export async function withVerificationParts<Result>(
  { url, dataSource }: OperatorDatabase,
  config: Config,
  urls: { index: string; against: string | null },
  logger: Logger,
  act: (parts: Omit<VerificationParts, 'onProgress'>) => Promise<Result>,
): Promise<Result> {
  const options = { connections: 1, timeoutMs: DATABASE_TIMEOUT_MS, applicationName: 'fresnel-verify' };
  const reader = new Reader({ ...options, url });
  const trees = new PostgresTreeReads(dataSource.manager);
  try {
    return await act({
      index: askerOf(urls.index, logger),
      against: urls.against === null ? null : askerOf(urls.against, logger),
      transactions: {
        findFrom: (id, limit) => findTransactionsFrom(reader, id, limit),
        findLastId: () => findLastTransactionId(reader),
      },
      addressTrees: async () => (await trees.listHeads()).map(({ info }) => info).filter(isAddressTree),
      ...checksOfNode({ dataSource }, trees, config, logger),
      hasher: poseidon,
    });
  } finally {
    await reader.close();
  }
}

function askerOf(url: string, logger: Logger): AskIndex {
  const rpc = new IndexRpc(url, logger);
  return (method, params, signal) => rpc.ask(method, params, signal);
}

function checksOfNode(
  { dataSource }: Pick<OperatorDatabase, 'dataSource'>,
  trees: PostgresTreeReads,
  config: Config,
  logger: Logger,
): Pick<VerificationParts, 'checkTrees' | 'roots'> {
  const { rpcUrls, commitment, programs, treeOwner } = toChainConfig(config);
  if (rpcUrls === undefined) return { checkTrees: null, roots: null };
  const rpc = new SolanaRpc({ urls: rpcUrls, ...RPC }, logger);
  setCommitment(rpc, commitment, logger);
  const read: ReadNodeAccount = (account, minContextSlot, signal) =>
    readAccount(rpc, account, { minContextSlot, retryForMs: ACCOUNT_MS }, signal);
  const { accountCompression } = programs;
  const history = new HistoryStore(dataSource);
  const tables = new ProjectionStore(dataSource);
  return {
    checkTrees: async (signal) => {
      // If the node lists no trees, those of the index are compared.
      const configured = (await trees.listHeads()).map(({ info }) => info);
      const treeSource = treeOwner
        ? new RpcTreeSource(rpc, { accountCompression, treeOwner }, logger)
        : knownOnly(configured, read);
      const check = new HistoryCheck({ treeSource, configured, readAccount: read, trees, tables, history, logger });
      return (await new TreeCheck({ check, trees, readAccount: read }, TREE_CHECK).run(signal)).map(toCheckedTree);
    },
    roots: new NodeRoots(read),
  };
}

/** Without an owner of trees, those of the index are looked up. */
function knownOnly(known: readonly TreeInfo[], read: ReadNodeAccount): TreeSource {
  return {
    listTrees: async (minContextSlot, signal) => {
      const found = await Promise.all(
        known.map(async ({ tree }) => {
          const { data, slot } = await read(tree, minContextSlot, signal);
          return data && parseTreeAccount(tree, data, slot);
        }),
      );
      return found.filter((info) => info !== null);
    },
    findTrees: ({ minContextSlot: slot }) => Promise.resolve({ trees: [], unread: [], slot }),
  };
}

function toCheckedTree({
  tree,
  result,
  reason,
  index,
  node,
}: Awaited<ReturnType<TreeCheck['run']>>[number]): CheckedTree {
  if (result === 'equal') return { tree, outcome: { result } };
  if (result === 'not-checked') return { tree, outcome: { result, reason: reason ?? '' } };
  const answers = [
    { by: 'index', slot: index?.slot ?? null, answer: index },
    { by: 'node', slot: node?.slot ?? null, answer: node },
  ] as const;
  return { tree, outcome: { result, at: reason ?? '', answers: [...answers] } };
}
