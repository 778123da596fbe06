import { type Commitment } from '@fresnel/domain/chain';
import { type Pubkey, type Slot } from '@fresnel/domain/primitives';
import { type TreeInfo } from '@fresnel/domain/trees';
import { type Logger } from '@fresnel/platform';
import { type BlockSource, type TreeSource } from './block-source';
import { HISTORY_PART_SLOTS, HistoryBlockSource, type HistoryOptions } from './history/history.block-source';
import { type HistorySource } from './history/history-source';
import { type StoredHistory } from './history/stored-history';
import { type HistorySourcesOptions, openHistorySources } from './history/open-history-source';
import { setCommitment } from './cluster-commitment';
import { RpcBlockSource } from './rpc.block-source';
import { type StoredTimes } from './rpc.block-times';
import { RpcTreeSource } from './rpc.tree-source';
import { SolanaRpc } from './solana-rpc';
import { readTreesFile } from './trees-file';
import { YellowstoneBlockSource } from './yellowstone/yellowstone.block-source';

const RPC_TIMEOUT_MS = 30_000;
/** A stream without a block for this long is reopened, before an index that is 20 seconds behind counts as unhealthy. */
const STREAM_SILENCE_MS = 10_000;
/** Pages of history that wait for their turn. They are a part of the memory of the process. */
const MAX_WAITING_BYTES = 16 * 2 ** 20;
const BACKOFF = { firstMs: 100, longestMs: 10_000, isRandom: true };

/** The chain to index. */
export interface Chain {
  source: BlockSource;
  /** Null: only the trees in `trees` are indexed. */
  treeSource: TreeSource | null;
  /** Trees that are configured rather than found on the chain. */
  trees: readonly TreeInfo[];
  /** Reads from a node; absent for a ledger. */
  rpc?: SolanaRpc;
  /** Sources of the past: the first one is read, the others are asked for what it lacks. Absent if all blocks come from the node. */
  history?: readonly HistorySource[];
}

/** How the past is read. */
export interface HistoryReading extends HistorySourcesOptions, Pick<HistoryOptions, 'anchorDistance'> {
  /** Parts that are read at the same time. */
  concurrency: number;
}

export interface RpcChainOptions {
  /** Null: blocks are read over RPC only. */
  yellowstone: { url: string; token: string | null } | null;
  startSlot: Slot | null;
  concurrency: number;
  pollIntervalMs: number;
  /** Null: as the cluster says. */
  commitment: Commitment | null;
  programs: { accountCompression: Pubkey };
  /** Owner of the trees to look up on the chain; null: no lookup. */
  treeOwner: Pubkey | null;
  treesFile: string | undefined;
  storedTimes: StoredTimes;
  /** Where the past comes from; null: from the node. */
  history: HistoryReading | null;
  /** What is stored of it. */
  storedHistory: StoredHistory;
  /** Called when the past is published, before blocks of the node are. */
  onAnchor?: HistoryOptions['onAnchor'];
}

/**
 * Creates block and tree sources that read from a Solana node.
 *
 * @param rpcUrls endpoints of the node; a request that fails or is refused goes to the next one
 * @throws TreesFileError
 */
export function openRpcChain(options: RpcChainOptions, rpcUrls: readonly string[], logger: Logger): Chain {
  const rpc = new SolanaRpc({ urls: rpcUrls, timeoutMs: RPC_TIMEOUT_MS, backoff: BACKOFF }, logger);
  setCommitment(rpc, options.commitment, logger);
  const { treeOwner, programs, startSlot, history, storedHistory, onAnchor } = options;
  const { accountCompression } = programs;
  const chain = {
    rpc,
    source: openSource(options, rpc, logger),
    treeSource: treeOwner && new RpcTreeSource(rpc, { accountCompression, treeOwner }, logger),
    trees: configuredTrees(options),
  };
  if (!history) return chain;
  const reading = { ...history, partSlots: HISTORY_PART_SLOTS, maxWaitingBytes: MAX_WAITING_BYTES };
  const sources = openHistorySources(history, accountCompression, logger);
  const past = { ...reading, accountCompression, startSlot, onAnchor };
  return {
    ...chain,
    source: new HistoryBlockSource(sources, chain.source, storedHistory, past, logger),
    history: sources,
  };
}

/** With a stream configured, blocks that do not name the compression program are not fetched over RPC. */
function openSource(options: RpcChainOptions, rpc: SolanaRpc, logger: Logger): BlockSource {
  const { startSlot, concurrency, pollIntervalMs, storedTimes, yellowstone, programs } = options;
  const { accountCompression } = programs;
  const reading = { startSlot, concurrency, pollIntervalMs, storedTimes, accountCompression };
  const source = new RpcBlockSource(rpc, reading, logger);
  if (!yellowstone) return source;
  const stream = { ...yellowstone, silenceMs: STREAM_SILENCE_MS, backoff: BACKOFF, concurrency };
  return new YellowstoneBlockSource(source, { ...stream, onlyNaming: accountCompression }, logger);
}

/** Reads the configured trees file; an empty list if none is configured. @throws TreesFileError */
export function configuredTrees({
  treesFile,
  treeOwner,
}: Pick<RpcChainOptions, 'treesFile' | 'treeOwner'>): TreeInfo[] {
  return treesFile === undefined ? [] : readTreesFile(treesFile, treeOwner);
}
