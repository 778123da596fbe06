// Runs before suites that start apps as processes. Builds dist/ from the current sources and provides the shared servers.

const provideServers = require('./jest-servers.cjs');

module.exports = async function setUp() {
  const { build, isBuildStale } = await import('./build.mjs');
  if (isBuildStale()) await build();
  await provideServers();
};
