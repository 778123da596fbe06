// Suites that need Light Protocol's prover: `npm run test:prover` fetches it and runs them.

const { projects } = require('../../../jest.config.cjs');

const { globalSetup, globalTeardown, ...project } = projects.find(({ displayName }) => displayName === 'e2e');

module.exports = { ...project, displayName: 'prover', testMatch: ['**/*.prover-spec.ts'], testTimeout: 600_000 };
