import { type Chain, openRpcChain } from '@fresnel/adapters/chain';
import { toChainConfig } from '@fresnel/config';
import { openDemoChain, showDemo } from '@fresnel/demo';
import { type Logger } from '@fresnel/platform';
import { type AppConfig } from './app.config';

export interface OpenChain {
  chain: Chain;
  /** Each chain has an index of its own. */
  defaultDataDir: string;
  /** Called once the gateway answers at `url`. */
  onAnswering: (url: string, signal: AbortSignal) => Promise<void>;
}

/** Opens the chain of SOLANA_RPC_URL, or the demo ledger if it is not set. */
export function openChain(config: AppConfig, logger: Logger): OpenChain {
  const { rpcUrl, ...options } = toChainConfig(config);
  if (rpcUrl === undefined) {
    return {
      chain: openDemoChain(),
      defaultDataDir: '.fresnel/demo',
      onAnswering: (url, signal) => showDemo(url, 'npm start', signal),
    };
  }
  return {
    chain: openRpcChain(options, rpcUrl, logger),
    defaultDataDir: '.fresnel/data',
    onAnswering: () => Promise.resolve(),
  };
}
