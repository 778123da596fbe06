import 'reflect-metadata';
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { showDemo } from '@fresnel/demo';
import { FresnelError } from '@fresnel/domain/primitives';
import { listenPortsOf, type ListenPorts } from '@fresnel/features/gateway';
import {
  createLogger,
  describeConfig,
  findFreePort,
  listenForShutdown,
  type Logger,
  forwardEnv,
  readConfig,
  reportCrashes,
  reportFailure,
  ConfigError,
} from '@fresnel/platform';
import { APP_CONFIG } from './app.config';
import { DEFAULT_REPLICAS, parseReplicas, type Replicas, type ServiceName, StackUsageError } from './replicas';
import { startRoundRobin } from './round-robin';
import { type Servers, startServers } from './servers';
import { startService } from './service-process';
import { RestartedProcess } from './restarted-process';

const INVALID_USAGE = 2;
/** Consumers of a service start before it. Services stop in the reverse order. */
const START_ORDER: readonly ServiceName[] = ['gateway', 'prover', 'projector', 'ingest'];

const HELP = `npm run stack -- [--replicas ingest=2,projector=3,prover=2,gateway=2]

Runs all services on this machine until SIGTERM or Ctrl-C, with the gateways behind one port. Starts Kafka, Postgres and
Redis unless their addresses are set. Restarts every process that exits. All environment variables are passed on to the
services, which read more than these: docs/configuration.md lists them. docs/operations.md explains the services.

Environment variables:
${describeConfig(APP_CONFIG)}`;

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { replicas: { type: 'string' }, help: { type: 'boolean', short: 'h' } } });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const replicas = values.replicas === undefined ? DEFAULT_REPLICAS : parseReplicas(values.replicas);
  const config = readConfig(APP_CONFIG);
  const isDemo = config.SOLANA_RPC_URL === undefined;
  const logger = createLogger(config.LOG_LEVEL);
  const shutdown = listenForShutdown(logger);
  const existing = {
    kafkaBrokers: config.KAFKA_BROKERS,
    databaseUrl: config.DATABASE_URL,
    databaseReadUrl: config.DATABASE_READ_URL,
    redisUrl: config.REDIS_URL,
  };
  const servers = await startServers(
    existing,
    config.FRESNEL_DATA_DIR ?? (isDemo ? '.fresnel/stack-demo' : '.fresnel/stack'),
    logger,
  );
  try {
    const { GATEWAY_HOST: host } = config;
    const ports = await listenPortsOf(config);
    await runServices(servers, replicas, { isDemo, host, ports }, logger, shutdown);
  } finally {
    await servers.stop();
  }
  logger.info('stopped');
  return 0;
}

async function runServices(
  servers: Servers,
  replicas: Replicas,
  { isDemo, host, ports }: { isDemo: boolean; host: string; ports: ListenPorts },
  logger: Logger,
  shutdown: AbortSignal,
): Promise<void> {
  const common = {
    DATABASE_URL: servers.databaseUrl,
    KAFKA_BROKERS: servers.kafkaBrokers,
    REDIS_URL: servers.redisUrl,
    // The round robin is closed before the services.
    SHUTDOWN_DRAIN_MS: '0',
  };
  if (!(await migrate(common, shutdown))) return;
  const gatewayPorts = await findFreePorts(replicas.gateway);
  const proverPorts = await findFreePorts(replicas.prover);
  const healthPorts = await findHealthPorts(replicas);
  const variablesOf: Record<ServiceName, (number: number) => Record<string, string>> = {
    ingest: () => ({ INGEST_DEMO: String(isDemo) }),
    projector: () => ({}),
    prover: (number) => ({ PROVER_PORT: String(proverPorts[number]) }),
    gateway: (number) => ({
      DATABASE_READ_URL: servers.databaseReadUrl,
      GATEWAY_HOST: '127.0.0.1',
      GATEWAY_PORT: String(gatewayPorts[number]),
      // They take WebSockets at their only port.
      GATEWAY_WS_PORT: '0',
      PROVER_URL: proverPorts.map((port) => `127.0.0.1:${port}`).join(),
    }),
  };
  const roundRobins = [await startRoundRobin(host, ports.port, gatewayPorts)];
  if (ports.webSocketPort !== null) roundRobins.push(await startRoundRobin(host, ports.webSocketPort, gatewayPorts));
  const started: RestartedProcess[][] = [];
  for (const service of START_ORDER) {
    const replicasOfService = Array.from({ length: replicas[service] }, (_, number) => {
      const HEALTH_PORT = String(healthPorts[service][number]);
      const env = forwardEnv({ ...common, HEALTH_PORT, ...variablesOf[service](number) });
      const start = () => Promise.resolve(startService({ service, number, env }, logger));
      return RestartedProcess.start({ service, number }, start, logger);
    });
    started.unshift(await Promise.all(replicasOfService));
  }
  const url = `http://${host}:${roundRobins[0].port}`;
  logger.info({ url, replicas, healthPorts }, 'stack listening');
  try {
    if (isDemo) await showDemo(url, 'npm run stack', shutdown);
    if (!shutdown.aborted) await once(shutdown, 'abort');
  } finally {
    await Promise.all(roundRobins.map((roundRobin) => roundRobin.close()));
    for (const tier of started) await Promise.all(tier.map((replica) => replica.stop()));
  }
}

/** The stack cannot start. */
class StackError extends FresnelError {
  readonly code = 'stack';
  readonly isRetryable = false;
}

/**
 * Migrates the schema and the topics.
 *
 * @param shutdown ends the migration, which waits for servers that cannot be reached
 * @returns whether it has migrated; false after a shutdown
 */
async function migrate(config: Record<string, string>, shutdown: AbortSignal): Promise<boolean> {
  const main = join(__dirname, '..', 'migrate', 'main.js');
  const child = spawn(process.execPath, [main], { env: forwardEnv(config), stdio: ['ignore', 'inherit', 'inherit'] });
  shutdown.addEventListener('abort', () => child.kill());
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0 && !shutdown.aborted)
    throw new StackError(`migrate failed with exit code ${code ?? 'none'}: schema and topics are not up to date`);
  return code === 0;
}

/** A port for each replica, which it has again after a restart. */
async function findHealthPorts(replicas: Replicas): Promise<Record<ServiceName, number[]>> {
  const count = START_ORDER.reduce((sum, service) => sum + replicas[service], 0);
  const ports = await findFreePorts(count);
  const take = (service: ServiceName) => ports.splice(0, replicas[service]);
  return { ingest: take('ingest'), projector: take('projector'), prover: take('prover'), gateway: take('gateway') };
}

function findFreePorts(count: number): Promise<number[]> {
  return Promise.all(Array.from({ length: count }, () => findFreePort()));
}

reportCrashes('stack');
main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    reportFailure('stack', error);
    process.exit(error instanceof StackUsageError || error instanceof ConfigError ? INVALID_USAGE : 1);
  },
);
