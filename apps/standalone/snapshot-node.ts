import {
  findBlockhash,
  findFirstAvailableSlot,
  findTransactionJson,
  readAccount,
  RpcBlockSource,
  setCommitment,
  SolanaRpc,
} from '@fresnel/adapters/chain';
import { type SnapshotNode } from '@fresnel/features/operations';
import { type Logger } from '@fresnel/platform';
import { type AppConfig } from './app.config';

const RPC = { timeoutMs: 30_000, backoff: { firstMs: 100, longestMs: 5_000, isRandom: true } };
/** How long the account of a tree is requested. */
const ACCOUNT_MS = 60_000;

/** What a snapshot is compared with: the node of SOLANA_RPC_URL. */
export function openSnapshotNode(
  urls: readonly string[],
  { SOLANA_COMMITMENT }: Pick<AppConfig, 'SOLANA_COMMITMENT'>,
  logger: Logger,
): SnapshotNode {
  const rpc = new SolanaRpc({ urls, ...RPC }, logger);
  setCommitment(rpc, SOLANA_COMMITMENT ?? null, logger);
  const options = { startSlot: null, concurrency: 1, pollIntervalMs: 100, accountCompression: null };
  const source = new RpcBlockSource(rpc, options, logger);
  return {
    identify: (signal) => source.identify(signal),
    findTip: (signal) => source.findTip(signal),
    findBlockhash: (slot, signal) => findBlockhash(rpc, slot, signal),
    readAccount: async (account, minContextSlot, signal) =>
      (await readAccount(rpc, account, { minContextSlot, retryForMs: ACCOUNT_MS }, signal)).data,
    findTransaction: (signature, signal) => findTransactionJson(rpc, signature, signal),
    findFirstAvailableSlot: (signal) => findFirstAvailableSlot(rpc, signal),
  };
}
