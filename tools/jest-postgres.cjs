// Starts one real Postgres for the suites that need it. Two jest projects share it.

require('./register.cjs');
const { SERVER_URL_VARIABLE, startPostgresServer } = require('../libs/testing/servers/postgres-server.ts');

/** @type {(() => Promise<void>) | undefined} */
let stop;

module.exports = async function setUp() {
  if (process.env[SERVER_URL_VARIABLE]) return;
  stop = await startPostgresServer();
};

module.exports.tearDown = async function tearDown() {
  await stop?.();
  stop = undefined;
};
