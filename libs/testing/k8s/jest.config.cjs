// Suites that need a cluster: `npm run test:k8s` runs them against the one of KUBECONFIG.

const { projects } = require('../../../jest.config.cjs');

const { globalSetup, globalTeardown, ...project } = projects.find(({ displayName }) => displayName === 'integration');

module.exports = { ...project, displayName: 'k8s', testMatch: ['**/*.k8s-spec.ts'], testTimeout: 300_000 };
