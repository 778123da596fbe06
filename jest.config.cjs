const { readFileSync } = require('node:fs');
const { availableParallelism } = require('node:os');
const { join } = require('node:path');

/** Packages that ship ES modules only, or use `import()`; jest runs CommonJS, so they are compiled like our own code. */
const ES_MODULES = [
  '@nestjs',
  '@noble',
  '@opentelemetry/otlp-exporter-base',
  'cookie',
  'file-type',
  'strtok3',
  'token-types',
  'uint8array-extras',
  '@tokenizer',
  'typebox',
];

const SWC = JSON.parse(readFileSync(join(__dirname, '.swcrc'), 'utf8'));

/** Loads an import when it is first used: most suites use a small part of what the libraries that they import depend on. */
const LAZY_IMPORTS = { ...SWC, module: { ...SWC.module, lazy: true } };

/**
 * @param {string} name
 * @param {string} suffix
 * @param {string} [setUp] starts what the suites need
 */
function project(name, suffix, setUp) {
  return {
    displayName: name,
    rootDir: __dirname,
    roots: ['<rootDir>/apps', '<rootDir>/libs', '<rootDir>/tools'],
    testMatch: [`**/*.${suffix}.ts`],
    testEnvironment: 'node',
    setupFilesAfterEnv: ['<rootDir>/tools/jest-equality.cjs'],
    transform: { '^.+\\.(t|m?j)s$': ['@swc/jest', LAZY_IMPORTS] },
    transformIgnorePatterns: [`/node_modules/(?!(${ES_MODULES.join('|')})/)`],
    moduleNameMapper: {
      '^@fresnel/(.*\\.contract)$': '<rootDir>/libs/$1.ts',
      '^@fresnel/(.*)$': '<rootDir>/libs/$1/index.ts',
    },
    ...(setUp ? { globalSetup: setUp, globalTeardown: '<rootDir>/tools/jest-servers-stop.cjs' } : {}),
  };
}

/** Suites wait for servers and processes much of the time: three workers are not too many for two cores. */
const MIN_WORKERS = 3;

/** Which level a test belongs to shows in its suffix. */
module.exports = {
  maxWorkers: Math.max(MIN_WORKERS, availableParallelism() - 1),
  // Suites start servers and processes.
  testTimeout: 180_000,
  projects: [
    project('unit', 'spec'),
    project('integration', 'int-spec', '<rootDir>/tools/jest-servers.cjs'),
    project('e2e', 'e2e-spec', '<rootDir>/tools/jest-app.cjs'),
  ],
};
