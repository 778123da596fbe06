// Checks the dependencies, offline: `npm run dependencies:check`. What npm installs has a checksum, comes from the registry, has a
// license that allows to pass it on, and runs on the supported lines of Node. docs/dependencies.md gives a reason for each direct one.

import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const PAGE = 'docs/dependencies.md';
/** A row of a table: packages, what for, why this one. No cell is empty. */
const ROW = /^\| (`[^|]+`) +\| [^|]*\w[^|]*\| [^|]*\w[^|]*\|$/gm;
const KINDS = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];
/** A package that a command fetches with `requirePackage`. */
const FETCHED = /name: '([^']+)',\s+version: '[^']+',\s+sha512:/g;

/** Licenses that allow to pass the code on in images and npm packages, under Apache-2.0, with their notices. */
const PERMISSIVE = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'ISC', 'MIT'];
/** Packages with other licenses, or without one in their manifest. They are tools: nothing that Fresnel ships has code of them. */
const TOOLS = [
  '@cspell/dict-django',
  '@cspell/dict-en-common-misspellings',
  'argparse',
  'axe-core',
  'caniuse-lite',
  'eyes',
  'lightningcss',
  'lightningcss-*',
  'pako',
  'rpc-websockets',
  'text-encoding-utf-8',
];

/** The lines of Node after the oldest supported release, which `engines` names. */
const NODE_LINES = [22, 24, 26];

/**
 * @typedef {object} LockedPackage
 * @property {string} name
 * @property {string} [integrity]
 * @property {string} [resolved] npm leaves it out if the package is from the registry that it is set to use
 * @property {string} [license]
 * @property {boolean} [dev]
 * @property {{ node?: string }} [engines]
 */

const semver = createRequire(import.meta.url)('semver');
const root = readJson('package.json');
/** @type {LockedPackage[]} */
const locked = Object.entries(readJson('package-lock.json').packages)
  .filter(([path]) => path !== '')
  .map(([path, entry]) => ({ ...entry, name: path.split('node_modules/').pop() }));

const problems = [...checkSources(), ...checkLicenses(), ...checkEngines(), ...checkPage()];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;

function checkSources() {
  const unchecked = locked.filter(({ integrity }) => !integrity?.startsWith('sha512-'));
  const foreign = locked.filter(({ resolved }) => resolved !== undefined);
  return [
    ...unchecked.map(({ name }) => `${name}: package-lock.json has no SHA-512 checksum`),
    ...foreign.map(({ name, resolved }) => `${name} does not come from the npm registry, but from ${resolved}`),
  ];
}

function checkLicenses() {
  const others = locked.filter(({ license = '' }) => !isPermissive(license));
  const shipped = others.filter(({ name, dev }) => !dev || !TOOLS.some((tool) => isNamed(name, tool)));
  return [
    ...shipped.map(({ name, license }) => `${name} has the license "${license ?? ''}"`),
    ...findStale('TOOLS', TOOLS, others),
  ];
}

/** @param {string} license an SPDX expression */
function isPermissive(license) {
  const choices = license.replace(/^\(([^()]*)\)$/, '$1').split(' OR ');
  return choices.some((choice) => choice.split(' AND ').every((part) => PERMISSIVE.includes(part)));
}

function checkEngines() {
  // The last release of a line has the highest minor version.
  const releases = [semver.minVersion(root.engines.node), ...NODE_LINES.map((line) => `${line}.99.0`)];
  const others = locked.filter(
    ({ engines }) => !releases.every((release) => semver.satisfies(release, engines?.node ?? '*')),
  );
  return [
    ...others.map(
      ({ name, engines }) => `${name} runs on Node ${engines?.node}, and not on all of ${releases.join(', ')}`,
    ),
  ];
}

/**
 * @param {string} list
 * @param {string[]} patterns
 * @param {LockedPackage[]} found
 */
function findStale(list, patterns, found) {
  const stale = patterns.filter((pattern) => !found.some(({ name }) => isNamed(name, pattern)));
  return stale.map(
    (pattern) => `${pattern} is no exception any more: remove it from ${list} of tools/check-dependencies.mjs`,
  );
}

/**
 * @param {string} name
 * @param {string} pattern a name, or the beginning of names and "*"
 */
function isNamed(name, pattern) {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

function checkPage() {
  const listed = [...read(PAGE).matchAll(ROW)].flatMap(([, names]) =>
    [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  );
  const direct = [...listManifests().flatMap(readDependencies), ...listFetched()];
  return [
    ...direct.filter((name) => !listed.includes(name)).map((name) => `${PAGE} has no line of ${name}`),
    ...listed
      .filter((name) => !direct.includes(name))
      .map((name) => `${PAGE} has a line of ${name}, which nothing depends on`),
    ...listed.filter((name, index) => listed.indexOf(name) < index).map((name) => `${PAGE} has two lines of ${name}`),
  ];
}

function listManifests() {
  const paths = ['apps', 'libs', 'tools'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
  );
  return ['package.json', ...paths.filter((path) => basename(path) === 'package.json')];
}

/** @param {string} manifest */
function readDependencies(manifest) {
  const content = readJson(manifest);
  return KINDS.flatMap((kind) => Object.keys(content[kind] ?? {}));
}

function listFetched() {
  const tools = readdirSync(join(ROOT, 'tools')).filter((name) => name.endsWith('.mjs'));
  return tools.flatMap((name) => [...read(join('tools', name)).matchAll(FETCHED)].map(([, fetched]) => fetched));
}

/** @param {string} path in the repository */
function readJson(path) {
  return JSON.parse(read(path));
}

/** @param {string} path in the repository */
function read(path) {
  return readFileSync(join(ROOT, path), 'utf8');
}
