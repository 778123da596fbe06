// Runs before suites that need servers. Provides one Postgres, one Kafka and one Redis, which two jest projects share.

require('./register.cjs');
const { provideSharedServers } = require('../libs/testing/servers/index.ts');
const compileNative = require('./jest-native.cjs');

/** @type {Promise<() => Promise<void>> | undefined} */
let providing;

module.exports = async function setUp() {
  await compileNative();
  providing ??= provideSharedServers();
  await providing;
};

module.exports.tearDown = async function tearDown() {
  const stop = await providing;
  providing = undefined;
  await stop?.();
};
