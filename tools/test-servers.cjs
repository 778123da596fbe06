// Starts the servers of test suites and keeps them running until Ctrl-C: `npm run test:servers`. Test runs that have the printed
// variable use them instead of starting servers of their own.

require('./register.cjs');
const { once } = require('node:events');
const { provideSharedServers, sharedKafka, sharedPostgres, sharedRedis } = require('../libs/testing/servers/index.ts');

async function main() {
  const { requireSystemPackages } = await import('./system-packages.mjs');
  requireSystemPackages(['kafka', 'redis']);
  const stopped = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  const stop = await provideSharedServers();
  try {
    const [postgres, { brokers }, { url }] = await Promise.all([sharedPostgres(), sharedKafka(), sharedRedis()]);
    console.log(`postgres  ${postgres}\nkafka     ${brokers.join()}\nredis     ${url}\n`);
    console.log(`export FRESNEL_TEST_SERVERS_URL=${process.env.FRESNEL_TEST_SERVERS_URL}`);
    await stopped;
  } finally {
    await stop();
  }
}

void main();
