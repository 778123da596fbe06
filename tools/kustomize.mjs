// Renders the manifests of a folder with kustomize and prints them as a JSON list: `node tools/kustomize.mjs k8s/overlays/local`.
// Uses the installed kustomize or kubectl, or builds kustomize from its Go module, once.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import { requireSystemPackages } from './system-packages.mjs';

/** The last version that the Go of Debian 12 can build. */
const VERSION = 'v5.0.3';
const FOLDER = join(homedir(), '.cache', 'fresnel', `kustomize-${VERSION}`);
/** Components and labels of templates need this major version. */
const SUITABLE = /\bv5\./;

/** Builds kustomize if there is none. @returns the command that renders a folder, without the folder */
export function requireKustomize() {
  const found = findKustomize();
  if (found) return found;
  requireSystemPackages(['kustomize']);
  console.error(`fresnel: building kustomize ${VERSION} (first run only)`);
  const { status } = spawnSync('go', ['install', `sigs.k8s.io/kustomize/kustomize/v5@${VERSION}`], {
    stdio: ['ignore', 2, 2],
    env: { ...process.env, GOBIN: FOLDER, GOFLAGS: '-buildvcs=false' },
  });
  if (status !== 0) throw new Error('kustomize cannot be built: install kustomize or kubectl, then try again');
  return [join(FOLDER, 'kustomize'), 'build'];
}

function findKustomize() {
  const built = join(FOLDER, 'kustomize');
  if (existsSync(built)) return [built, 'build'];
  if (SUITABLE.test(outputOf('kustomize', ['version']))) return ['kustomize', 'build'];
  if (SUITABLE.test(outputOf('kubectl', ['version', '--client']))) return ['kubectl', 'kustomize'];
  return null;
}

/**
 * @param {string} program
 * @param {string[]} args
 * @returns empty if the program is missing or fails
 */
function outputOf(program, args) {
  const { status, stdout } = spawnSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return status === 0 ? stdout : '';
}

/** @param {string} folder with a kustomization */
function render(folder) {
  const [program, ...args] = requireKustomize();
  const { status, stdout } = spawnSync(program, [...args, folder], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 2],
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) process.exit(status ?? 1);
  const yaml = createRequire(import.meta.url)('js-yaml');
  return yaml.loadAll(stdout);
}

if (argv[1] === fileURLToPath(import.meta.url)) console.log(JSON.stringify(render(argv[2])));
