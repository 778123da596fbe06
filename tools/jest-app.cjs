// Before suites that run the app: a build of the sources as they are now, and a Postgres.

const startPostgres = require('./jest-postgres.cjs');

module.exports = async function setUp() {
  const { build, isBuildStale } = await import('./build.mjs');
  if (isBuildStale()) await build();
  await startPostgres();
};
