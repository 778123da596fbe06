import { type Pubkey, type Slot } from '@fresnel/domain/primitives';
import { type TreeInfo } from '@fresnel/domain/trees';
import { type Logger } from '@fresnel/platform';
import { type BlockSource, type TreeSource } from './block-source';
import { RpcBlockSource } from './rpc.block-source';
import { RpcTreeSource } from './rpc.tree-source';
import { SolanaRpc } from './solana-rpc';
import { readTreesFile } from './trees-file';
import { YellowstoneBlockSource } from './yellowstone/yellowstone.block-source';

const RPC_TIMEOUT_MS = 30_000;
/** A stream without a block for so long is taken for dead. */
const STREAM_SILENCE_MS = 30_000;
const BACKOFF = { firstMs: 100, longestMs: 10_000 };

/** Where blocks and trees come from. */
export interface Chain {
  source: BlockSource;
  /** Null: trees are only those of `trees`. */
  treeSource: TreeSource | null;
  /** Known from the start. */
  trees: readonly TreeInfo[];
}

export interface RpcChainOptions {
  /** Null: blocks are asked for over RPC alone. */
  yellowstone: { url: string; token: string | null } | null;
  startSlot: Slot | null;
  concurrency: number;
  pollIntervalMs: number;
  programs: { accountCompression: Pubkey };
  /** Null: trees are not looked up on the chain. */
  treeOwner: Pubkey | null;
  treesFile: string | undefined;
}

/** The chain that a Solana node serves. @throws TreesFileError */
export function openRpcChain(options: RpcChainOptions, rpcUrl: string, logger: Logger): Chain {
  const rpc = new SolanaRpc({ url: rpcUrl, timeoutMs: RPC_TIMEOUT_MS, backoff: BACKOFF }, logger);
  const { treeOwner, programs } = options;
  const { accountCompression } = programs;
  return {
    source: openSource(options, rpc, logger),
    treeSource: treeOwner && new RpcTreeSource(rpc, { accountCompression, treeOwner }, logger),
    trees: configuredTrees(options),
  };
}

/** With a stream, blocks that do not name the compression program are taken from it alone. */
function openSource(options: RpcChainOptions, rpc: SolanaRpc, logger: Logger): BlockSource {
  const { yellowstone, concurrency, programs } = options;
  const source = new RpcBlockSource(rpc, options, logger);
  if (!yellowstone) return source;
  const stream = { ...yellowstone, silenceMs: STREAM_SILENCE_MS, backoff: BACKOFF, concurrency };
  return new YellowstoneBlockSource(source, { ...stream, onlyNaming: programs.accountCompression }, logger);
}

/** Trees of the file that the options name. @throws TreesFileError */
export function configuredTrees({
  treesFile,
  treeOwner,
}: Pick<RpcChainOptions, 'treesFile' | 'treeOwner'>): TreeInfo[] {
  return treesFile === undefined ? [] : readTreesFile(treesFile, treeOwner);
}
