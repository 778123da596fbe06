export {
  type BlockSource,
  type ChainTip,
  ChainVersionError,
  ForkError,
  type FoundTrees,
  IncompleteTreesError,
  MissingHistoryError,
  type TreeLookup,
  type TreeSource,
  type UnreadAccount,
} from './block-source';
export { setCommitment } from './cluster-commitment';
export { fetchPeriodOf } from './fetch-periods';
export { type BranchQuestion, FinalizedBranch, UnprovenBranchError } from './finalized-branch';
export { HISTORY_PART_SLOTS } from './history/history.block-source';
export { type StoredHistory } from './history/stored-history';
export { type HistoryPage, type HistorySource, type HistoryTransaction } from './history/history-source';
export { type IndexAnswer, IndexRpc } from './index-rpc';
export { LedgerBlockSource, type LedgerBlockSourceOptions, LedgerError } from './ledger.block-source';
export { LinkedAbort } from './linked-abort';
export { type NodeAccount, type NodeAccounts } from './node-accounts';
export { NodeAnswerTooLargeError, NodeError, NodeRpc, type NodeRpcOptions, NodeUnavailableError } from './node-rpc';
export { NodeSockets, type NodeSocketsOptions, socketUrlOf } from './node-sockets';
export { readAccount } from './rpc.program-accounts';
export { findBlockhash, findFirstAvailableSlot, findTransactionJson } from './rpc.past-reads';
export { RpcBlockSource, type RpcBlockSourceOptions } from './rpc.block-source';
export { type StoredTimes } from './rpc.block-times';
export { RpcTreeSource, type RpcTreeSourceOptions } from './rpc.tree-source';
export { SolanaRpc, type SolanaRpcOptions } from './solana-rpc';
export { formatTreesFile, TreesFileError } from './trees-file';
export { GeyserEndpointError, parseGeyserUrl } from './yellowstone/geyser-client';
export { YellowstoneBlockSource, type YellowstoneBlockSourceOptions } from './yellowstone/yellowstone.block-source';
export { type Chain, configuredTrees, openRpcChain, type RpcChainOptions } from './rpc-chain';
