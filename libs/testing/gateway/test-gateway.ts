import { type ProverClient } from '@fresnel/adapters/prover-client';
import { type RateLimiter } from '@fresnel/adapters/rate-limit';
import { parsePubkey } from '@fresnel/domain/primitives';
import { type GatewayOptions, type RunningGateway } from '@fresnel/features/gateway';
import { type Logger, type Registry } from '@fresnel/platform';

/** The address tree of requests that name none. */
export const TEST_ADDRESS_TREE = parsePubkey('amt1Ayt45jfbdw5YSo7iz6WZxUmnZsQTYXy82hVwyC2');

export interface TestGateway extends RunningGateway {
  registry: Registry;
}

/** A prover that nobody should ask. */
const UNWANTED_PROVER: ProverClient = {
  proveNewAddresses: () => Promise.reject(new Error('this test does not expect a call of the prover')),
};

/** A database that is not there. */
const NO_DATABASE = 'postgres://nobody@127.0.0.1:1/nothing';

/** Starts a gateway on a free port; closing it also closes what was made for it. */
export async function startTestGateway({
  databaseUrl = NO_DATABASE,
  prover = UNWANTED_PROVER,
  logger,
  limiter,
  ...options
}: Partial<GatewayOptions> & {
  databaseUrl?: string;
  prover?: ProverClient;
  logger?: Logger;
  limiter?: RateLimiter;
} = {}): Promise<TestGateway> {
  // Loaded here, so that suites without a gateway do not pay for it.
  const { GATEWAY_DEFAULTS, startGateway } = await import('@fresnel/features/gateway');
  const { Reader } = await import('@fresnel/adapters/store-read');
  const { createLogger, createRegistry } = await import('@fresnel/platform');
  const reader = new Reader({ url: databaseUrl, connections: 2, timeoutMs: 2_000, applicationName: 'test-gateway' });
  const registry = createRegistry();
  const gateway = await startGateway(
    { ...GATEWAY_DEFAULTS, host: '127.0.0.1', port: 0, defaultAddressTree: TEST_ADDRESS_TREE, ...options },
    { reader, prover, logger: logger ?? createLogger('silent'), registry, limiter },
  );
  const close = async () => {
    await gateway.close();
    await reader.close();
  };
  return { ...gateway, registry, close };
}
