import { type Chain, openRpcChain } from '@fresnel/adapters/chain';
import { toChainConfig } from '@fresnel/config';
import { openDemoChain, showDemo } from '@fresnel/demo';
import { type Logger } from '@fresnel/platform';
import { type AppConfig } from './app.config';

export interface OpenChain {
  chain: Chain;
  /** Called once the gateway is listening at `url`. */
  onListening: (url: string, signal: AbortSignal) => Promise<void>;
}

/** Opens the chain of SOLANA_RPC_URL, or the demo ledger if it is not set. */
export function openChain(config: AppConfig, logger: Logger): OpenChain {
  const { rpcUrls, ...options } = toChainConfig(config);
  if (rpcUrls === undefined) {
    return {
      chain: openDemoChain(),
      onListening: (url, signal) => showDemo(url, 'npm start', signal),
    };
  }
  return {
    chain: openRpcChain(options, rpcUrls, logger),
    onListening: () => Promise.resolve(),
  };
}
