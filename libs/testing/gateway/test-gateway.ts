import { type AddressInfo } from 'node:net';
import { type NodeRpc, type NodeSockets } from '@fresnel/adapters/chain';
import { PROVER_CLIENT, type ProverClient } from '@fresnel/adapters/prover-client';
import { type ValidityProver } from '@fresnel/adapters/validity-prover';
import { type RateLimit, type RateLimiter } from '@fresnel/adapters/rate-limit';
import { parsePubkey } from '@fresnel/domain/primitives';
import { type GatewayOptions } from '@fresnel/features/gateway';
import { type HealthChecks, type Logger, type Registry } from '@fresnel/platform';

/** The address tree of requests without a tree. */
export const TEST_ADDRESS_TREE = parsePubkey('amt1Ayt45jfbdw5YSo7iz6WZxUmnZsQTYXy82hVwyC2');

export interface TestGateway {
  url: string;
  port: number;
  registry: Registry;
  /** Serves health and metrics, at a port of its own. */
  adminUrl: string;
  checks: HealthChecks;
  close(): Promise<void>;
}

const failUnexpected = () => Promise.reject(new Error('this test does not expect this call of the prover'));

/** Fails every call. */
export const UNEXPECTED_PROVER = {
  proveNewAddresses: failUnexpected,
  proveLeaves: failUnexpected,
  findQueues: failUnexpected,
  findQueueElements: failUnexpected,
} satisfies ProverClient;

/** Time limit of a request and of its reads. A request of a test takes milliseconds, and on a busy machine seconds. */
const REQUEST_TIMEOUT_MS = 60_000;

/** Nothing listens on this port. */
const NO_DATABASE = 'postgres://user@127.0.0.1:1/unreachable';

/** Starts a gateway on a free port. `close` also closes its database connections. */
export async function startTestGateway({
  databaseUrl = NO_DATABASE,
  prover = UNEXPECTED_PROVER,
  validityProver = null,
  node = null,
  nodeSockets = null,
  logger,
  rateLimit,
  limiter,
  ...overrides
}: Partial<GatewayOptions> & {
  databaseUrl?: string;
  prover?: ProverClient;
  validityProver?: ValidityProver | null;
  node?: NodeRpc | null;
  nodeSockets?: NodeSockets | null;
  logger?: Logger;
  rateLimit?: RateLimit;
  limiter?: RateLimiter;
} = {}): Promise<TestGateway> {
  // Imported here, so that suites without a gateway do not load it.
  const { GATEWAY_CONFIG, toGatewayOptions } = await import('@fresnel/features/gateway');
  const { GatewayModule, startGateway } = await import('@fresnel/features/gateway/nest');
  const { NodeRpc, NodeSockets } = await import('@fresnel/adapters/chain');
  const { MemoryRateLimiter, RATE_LIMITER } = await import('@fresnel/adapters/rate-limit');
  const { HttpValidityProver } = await import('@fresnel/adapters/validity-prover');
  const { Reader } = await import('@fresnel/adapters/store-read');
  const { createLogger, createRegistry, HealthChecks, LOGGER, nestOptions, readConfig, Registry, startHealthServer } =
    await import('@fresnel/platform');
  const { Module } = await import('@nestjs/common');
  const registry = createRegistry();
  const checks = new HealthChecks();
  const log = logger ?? createLogger('silent');
  const options: GatewayOptions = {
    ...toGatewayOptions({
      ...readConfig(GATEWAY_CONFIG, {}),
      DEFAULT_ADDRESS_TREE: TEST_ADDRESS_TREE,
      ACCEPT_TREE_GAPS: false,
    }),
    GATEWAY_REQUEST_TIMEOUT_MS: REQUEST_TIMEOUT_MS,
    // A busy machine may pause the event loop for seconds.
    GATEWAY_MAX_EVENT_LOOP_DELAY_MS: REQUEST_TIMEOUT_MS,
    GATEWAY_PORT: 0,
    GATEWAY_WS_PORT: 0,
    ...overrides,
  };
  const reader = new Reader({
    url: databaseUrl,
    connections: 2,
    timeoutMs: options.GATEWAY_REQUEST_TIMEOUT_MS,
    applicationName: 'test-gateway',
  });
  const providers = [
    { provide: Reader, useValue: reader },
    { provide: PROVER_CLIENT, useValue: prover },
    { provide: HttpValidityProver, useValue: validityProver },
    { provide: NodeRpc, useValue: node },
    { provide: NodeSockets, useValue: nodeSockets },
    { provide: RATE_LIMITER, useValue: limiter ?? (rateLimit ? new MemoryRateLimiter(rateLimit) : null) },
    { provide: LOGGER, useValue: log },
    { provide: Registry, useValue: registry },
    { provide: HealthChecks, useValue: checks },
  ];

  @Module({})
  class BackendsModule {}

  @Module({
    imports: [{ module: BackendsModule, global: true, providers, exports: providers }, GatewayModule.register(options)],
  })
  class RootModule {}

  const app = await startGateway(RootModule, options, nestOptions(log));
  const { port } = app.getHttpServer().address() as AddressInfo;
  const admin = await startHealthServer({
    host: '127.0.0.1',
    port: 0,
    registry,
    findFaults: () => checks.findFaults(),
    findStuck: () => checks.findStuck(),
  });
  const close = async () => {
    await admin.close();
    await app.close();
    await reader.close();
  };
  return { url: await app.getUrl(), port, registry, checks, adminUrl: `http://127.0.0.1:${admin.port}`, close };
}
