// Installs the system packages that the local servers need: Java and Maven, which run and download Kafka, and Redis; Go, which
// builds kustomize; Prometheus, which tests alerts and
// dashboards; and OpenSSL, which makes the certificates of tests.

import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The programs of each server or tool, and the packages that contain them on every current Debian and Ubuntu. */
const PROGRAMS = {
  kafka: { java: 'default-jre-headless', mvn: 'maven' },
  redis: { 'redis-server': 'redis-server' },
  kustomize: { go: 'golang-go' },
  openssl: { openssl: 'openssl' },
  prometheus: { promtool: 'prometheus', prometheus: 'prometheus' },
};

/** How long to wait for another installation on this machine to end. */
const LOCK_TIMEOUT_SECONDS = 300;

/**
 * Installs the missing packages. If that needs a password, prints the command to run and exits.
 *
 * @param {readonly (keyof typeof PROGRAMS)[]} servers
 */
export function requireSystemPackages(servers) {
  const missing = findMissing(servers);
  if (missing.length === 0) return;
  const install = `apt-get install -y --no-install-recommends ${[...new Set(missing.map(([, name]) => name))].join(' ')}`;
  if (!existsSync('/etc/debian_version') || !hasProgram('apt-get')) {
    fail(`these programs are missing: ${missing.map(([program]) => program).join(', ')}; install them, then try again`);
  }
  const root = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  if (root.length > 0 && !run([...root, 'true'], 'ignore')) fail(`run "sudo ${install}", then try again`);
  console.error(`fresnel: installing system packages (first run only): ${install}`);
  const environment = [...root, 'env', 'DEBIAN_FRONTEND=noninteractive'];
  // A package source that does not answer matters only if the installation fails, too.
  run([...environment, 'apt-get', 'update', '-qq']);
  run([...environment, ...install.split(' '), '-o', `DPkg::Lock::Timeout=${LOCK_TIMEOUT_SECONDS}`]);
  if (findMissing(servers).length > 0) fail(`"${install}" failed`);
}

/**
 * @param {readonly (keyof typeof PROGRAMS)[]} servers
 * @returns program and package of each that is missing
 */
function findMissing(servers) {
  return servers.flatMap((server) => Object.entries(PROGRAMS[server])).filter(([program]) => !hasProgram(program));
}

/** @param {string} name */
function hasProgram(name) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * @param {string[]} command
 * @param {'ignore' | 2} output
 */
function run([program, ...args], output = 2) {
  return spawnSync(program, args, { stdio: ['ignore', output, output] }).status === 0;
}

/**
 * @param {string} message
 * @returns {never}
 */
function fail(message) {
  console.error(`fresnel: ${message}`);
  process.exit(1);
}
