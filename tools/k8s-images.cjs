// Builds the images of the local overlay, fresnel:local and fresnel-servers:local: `npm run k8s:images`. Further arguments go to
// `docker build`, such as `-- --network host`.

require('./register.cjs');
const { spawnSync } = require('node:child_process');
const { cpSync, mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { resolveKafkaJars } = require('../libs/adapters/local-servers/kafka-jars.ts');

const ROOT = join(__dirname, '..');
const OPTIONS = process.argv.slice(2);

/** @param {string[]} args */
function build(args) {
  const { status } = spawnSync('docker', ['build', ...OPTIONS, ...args], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

/** The image of the servers contains the jars of Kafka, so its build context is a folder with both. */
function buildServers() {
  const context = mkdtempSync(join(tmpdir(), 'fresnel-servers-image-'));
  try {
    cpSync(join(ROOT, 'docker', 'servers'), context, { recursive: true });
    cpSync(resolveKafkaJars(), join(context, 'kafka'), { recursive: true });
    build(['--tag', 'fresnel-servers:local', context]);
  } finally {
    rmSync(context, { recursive: true });
  }
}

build(['--file', join(ROOT, 'docker', 'Dockerfile'), '--tag', 'fresnel:local', ROOT]);
buildServers();
