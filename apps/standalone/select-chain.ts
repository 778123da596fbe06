import { type Chain, openRpcChain, type StoredTimes } from '@fresnel/adapters/chain';
import { toChainConfig } from '@fresnel/config';
import { openDemoChain, showDemo } from '@fresnel/demo';
import { type Logger } from '@fresnel/platform';
import { type AppConfig } from './app.config';

export interface ChainToOpen {
  open: (storedTimes: StoredTimes) => Chain;
  /** Called once the gateway is listening at `url`. */
  onListening: (url: string, signal: AbortSignal) => Promise<void>;
}

/** Selects the chain of SOLANA_RPC_URL, or the demo ledger if it is not set. */
export function selectChain(config: AppConfig, logger: Logger): ChainToOpen {
  const { rpcUrls, ...options } = toChainConfig(config);
  if (rpcUrls === undefined) {
    return {
      open: openDemoChain,
      onListening: (url, signal) => showDemo(url, 'npm start', signal),
    };
  }
  return {
    open: (storedTimes) => openRpcChain({ ...options, storedTimes }, rpcUrls, logger),
    onListening: () => Promise.resolve(),
  };
}
