import { readTopicRanges } from '@fresnel/adapters/bus';
import { RpcBlockSource, setCommitment, SolanaRpc } from '@fresnel/adapters/chain';
import { Reader } from '@fresnel/adapters/store-read';
import { listPositions } from '@fresnel/adapters/store-schema';
import { DeadLetterStore, HistoryStore } from '@fresnel/adapters/store-write';
import { PostgresTreeReads } from '@fresnel/adapters/tree-store';
import { toKafkaConfig } from '@fresnel/config';
import { readStatus, type Status, type StatusSources } from '@fresnel/features/operations';
import { type ConfigOf, type Logger } from '@fresnel/platform';
import { type OperatorDatabase } from './operator-database';
import { type OPERATOR_CONFIG } from './operator.config';

type Config = ConfigOf<typeof OPERATOR_CONFIG>;

const DATABASE_TIMEOUT_MS = 30_000;
const RPC = { timeoutMs: 5_000, backoff: { firstMs: 100, longestMs: 1_000, isRandom: true } };

/** Reads the status of an index from its database, and from Kafka and the node if they are configured. */
export async function readStatusFrom(
  { url, dataSource }: OperatorDatabase,
  config: Config,
  logger: Logger,
): Promise<Status> {
  const reader = new Reader({
    url,
    connections: 1,
    timeoutMs: DATABASE_TIMEOUT_MS,
    applicationName: 'fresnel-operator',
  });
  try {
    return await readStatus({
      reader,
      letters: new DeadLetterStore(dataSource),
      trees: new PostgresTreeReads(dataSource.manager),
      history: new HistoryStore(dataSource),
      listPositions: () => listPositions(dataSource.manager),
      readRanges: rangesReader(config, logger),
      findTip: tipFinder(config, logger),
      acceptTreeGaps: config.ACCEPT_TREE_GAPS,
    });
  } finally {
    await reader.close();
  }
}

function rangesReader(config: Config, logger: Logger): StatusSources['readRanges'] {
  const { KAFKA_BROKERS: brokers } = config;
  if (brokers === undefined) return null;
  const connection = toKafkaConfig({ ...config, KAFKA_BROKERS: brokers }, 'fresnel-operator');
  return (topics) => readTopicRanges(connection, topics, logger);
}

function tipFinder({ SOLANA_RPC_URL: urls, SOLANA_COMMITMENT }: Config, logger: Logger): StatusSources['findTip'] {
  if (urls === undefined) return null;
  const options = { startSlot: null, concurrency: 1, pollIntervalMs: 100, accountCompression: null };
  const rpc = new SolanaRpc({ urls, ...RPC }, logger);
  setCommitment(rpc, SOLANA_COMMITMENT ?? null, logger);
  const source = new RpcBlockSource(rpc, options, logger);
  return (signal) => source.findTip(signal);
}
