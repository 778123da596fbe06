import { type Chain, openRpcChain, type RpcChainOptions } from '@fresnel/adapters/chain';
import { toChainConfig } from '@fresnel/config';
import { openDemoChain, showDemo } from '@fresnel/demo';
import { type Logger, START_COMMAND } from '@fresnel/platform';
import { type AppConfig } from './app.config';

/** What the index has stored of the chain, and what it does when the past is published. */
export type StoredChain = Pick<RpcChainOptions, 'storedTimes' | 'storedHistory' | 'onAnchor'>;

export interface ChainToOpen {
  open: (stored: StoredChain) => Chain;
  /** Called once the gateway is listening at `url`. */
  onListening: (url: string, signal: AbortSignal) => Promise<void>;
}

/** Selects the chain of SOLANA_RPC_URL, or the demo ledger if it is not set. */
export function selectChain(config: AppConfig, logger: Logger): ChainToOpen {
  const { rpcUrls, ...options } = toChainConfig(config);
  if (rpcUrls === undefined) {
    return {
      open: openDemoChain,
      onListening: (url, signal) => showDemo(url, START_COMMAND, signal),
    };
  }
  return {
    open: (stored) => openRpcChain({ ...options, ...stored }, rpcUrls, logger),
    onListening: () => Promise.resolve(),
  };
}
