import { readTreesFile, RpcBlockSource, RpcTreeSource, SolanaRpc } from '@fresnel/adapters/chain';
import { type TreeInfo } from '@fresnel/domain/trees';
import { type Logger } from '@fresnel/platform';
import { type StandaloneSettings } from './settings';
import { type Chain } from './standalone';

const RPC_TIMEOUT_MS = 30_000;
const BACKOFF = { firstMs: 100, longestMs: 10_000 };

/** The chain that a Solana node serves. */
export function openRpcChain(settings: StandaloneSettings, rpcUrl: string, logger: Logger): Chain {
  const rpc = new SolanaRpc({ url: rpcUrl, timeoutMs: RPC_TIMEOUT_MS, backoff: BACKOFF }, logger);
  const { treeOwner, programs } = settings;
  const { accountCompression } = programs;
  return {
    source: new RpcBlockSource(rpc, settings, logger),
    treeSource: treeOwner && new RpcTreeSource(rpc, { accountCompression, treeOwner }, logger),
    trees: configuredTrees(settings),
  };
}

/** Trees of the file that the settings name. */
export function configuredTrees({ treesFile, treeOwner }: StandaloneSettings): TreeInfo[] {
  return treesFile === undefined ? [] : readTreesFile(treesFile, treeOwner);
}
