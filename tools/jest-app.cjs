// Before suites that start the apps as processes: builds dist/ from the current sources, and provides the shared servers.

const provideServers = require('./jest-servers.cjs');

module.exports = async function setUp() {
  const { build, isBuildStale } = await import('./build.mjs');
  if (isBuildStale()) await build();
  await provideServers();
};
