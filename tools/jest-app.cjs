// Runs before suites that start apps as processes. Builds dist/ from the current sources and provides the shared servers.

const provideServers = require('./jest-servers.cjs');

module.exports = async function setUp() {
  const { build, buildExplorer, isBuildStale, isExplorerStale } = await import('./build.mjs');
  await Promise.all([isBuildStale() && build(), isExplorerStale() && buildExplorer({ isUrgent: true })]);
  await provideServers();
};
