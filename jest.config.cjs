const { readFileSync } = require('node:fs');
const { availableParallelism } = require('node:os');
const { join } = require('node:path');

const SWC = JSON.parse(readFileSync(join(__dirname, '.swcrc'), 'utf8'));

/** Loads an import when it is first used: most suites use a small part of what the libraries that they import depend on. */
const LAZY_IMPORTS = { ...SWC, module: { ...SWC.module, lazy: true } };

const EQUALITY = '<rootDir>/tools/jest-equality.cjs';

/**
 * @param {string} name
 * @param {string} suffix
 * @param {object} further options
 */
function project(name, suffix, further) {
  return {
    displayName: name,
    rootDir: __dirname,
    roots: ['<rootDir>/apps', '<rootDir>/libs', '<rootDir>/tools'],
    testMatch: [`**/*.${suffix}.ts`],
    testEnvironment: '<rootDir>/tools/jest-environment.cjs',
    setupFilesAfterEnv: [EQUALITY],
    runtime: '<rootDir>/tools/jest-runtime.cjs',
    transform: { '\\.ts$': ['@swc/jest', LAZY_IMPORTS] },
    moduleNameMapper: {
      '^@fresnel/(.*\\.contract)$': '<rootDir>/libs/$1.ts',
      '^@fresnel/(.*)$': '<rootDir>/libs/$1/index.ts',
    },
    ...further,
  };
}

/** @param {string} setUp starts what the suites need */
const withServers = (setUp) => ({ globalSetup: setUp, globalTeardown: '<rootDir>/tools/jest-servers-stop.cjs' });

/** Suites wait for servers and processes some of the time: three workers keep two cores busy. More take as long. */
const MIN_WORKERS = 3;

/** Which level a test belongs to shows in its suffix. */
module.exports = {
  maxWorkers: Math.max(MIN_WORKERS, availableParallelism() - 1),
  // Far above what tests with servers and processes need on a busy machine.
  testTimeout: 600_000,
  testSequencer: '<rootDir>/tools/jest-sequencer.cjs',
  // A worker frees hundreds of MB when it exits. One that does not exit has something open.
  workerGracefulExitTimeout: 30_000,
  projects: [
    project('unit', 'spec', {
      globalSetup: '<rootDir>/tools/jest-native.cjs',
      setupFilesAfterEnv: [EQUALITY, '<rootDir>/tools/jest-unit.cjs'],
    }),
    project('integration', 'int-spec', withServers('<rootDir>/tools/jest-servers.cjs')),
    project('e2e', 'e2e-spec', withServers('<rootDir>/tools/jest-app.cjs')),
    project('slow', 'slow-spec', withServers('<rootDir>/tools/jest-app.cjs')),
  ],
};
