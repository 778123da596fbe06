// Runs the local overlay in the cluster of KUBECONFIG, in a namespace of its own, until SIGTERM. Takes the settings of the standalone
// process: ingest connects to SOLANA_RPC_URL of this machine, and GATEWAY_PORT of this machine is forwarded to the gateway.

require('./register.cjs');
const { randomBytes } = require('node:crypto');
const { once } = require('node:events');
const { LocalDeployment, startHostRelay } = require('../libs/testing/k8s/index.ts');

/** Variables that the apps receive unchanged. */
const SETTINGS = [
  'ACCEPT_TREE_GAPS',
  'ACCOUNT_COMPRESSION_PROGRAM_ID',
  'COMPRESSED_TOKEN_PROGRAM_ID',
  'DEFAULT_ADDRESS_TREE',
  'INGEST_START_SLOT',
  'LIGHT_REGISTRY_PROGRAM_ID',
  'LIGHT_SYSTEM_PROGRAM_ID',
  'LOG_LEVEL',
  'NOOP_PROGRAM_ID',
  'RATE_LIMIT_ENABLED',
  'REGISTERED_PROGRAM_PDA',
  'TREE_OWNER',
];

async function main() {
  const { SOLANA_RPC_URL: rpcUrl, GATEWAY_PORT: port = '8784', TREES_FILE: treesFile } = process.env;
  if (!rpcUrl) throw new Error('SOLANA_RPC_URL must be set');
  const stopped = Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
  const relay = await startHostRelay(rpcUrl);
  const given = SETTINGS.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []));
  const deployment = await LocalDeployment.create({
    namespace: `fresnel-run-${randomBytes(4).toString('hex')}`,
    settings: { ...Object.fromEntries(given), INGEST_DEMO: 'false', SOLANA_RPC_URL: relay.url },
    treesFile,
  });
  try {
    await deployment.waitUntilReady();
    const gateway = await deployment.forwardGateway(Number(port));
    await stopped;
    await gateway.stop();
  } finally {
    await deployment.delete({ wait: false });
    relay.stop();
  }
}

main().then(
  () => process.exit(0),
  (error) => {
    console.error(error);
    process.exit(1);
  },
);
