import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { status } from '@grpc/grpc-js';
import { FakeYellowstone } from '@fresnel/testing/block-sources';
import { sharedKafka, sharedRedis } from '@fresnel/testing/servers';
import { type CommandName, type Environment, FresnelProcess } from '@fresnel/testing/stack';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';

const PASSWORD = 'pass%40word-7f3a';
const KEY = 'key-in-the-path-91b2';
const QUERY_KEY = 'key-in-the-query-4c5d';
const TOKEN = 'token-of-the-stream-8e6f';
const BASIC = Buffer.from(`intruder:${decodeURIComponent(PASSWORD)}`).toString('base64');
const SECRETS = [PASSWORD, decodeURIComponent(PASSWORD), BASIC, KEY, QUERY_KEY, TOKEN];

/** A node that rejects every request, and repeats the URL and the credentials in its answer. */
async function startRejectingNode(): Promise<Server> {
  const server = createServer((request, response) => {
    const message = `rejected ${request.url} ${request.headers.authorization}`;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32001, message } }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

describe('the output of a process with wrong credentials has none of them', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  /** Runs a process until its output matches, or until it exits. @returns its whole output */
  async function outputOf(command: CommandName, variables: Environment, pattern: RegExp): Promise<string> {
    const process = FresnelProcess.start([], { LOG_LEVEL: 'trace', ...variables }, command);
    await process.waitFor(pattern);
    await process.end('SIGTERM');
    return process.output;
  }

  /** The URL of a server with a user that does not exist there. */
  function withWrongUser(url: string): string {
    const wrong = new URL(url);
    wrong.username = 'intruder';
    wrong.password = PASSWORD;
    return wrong.href;
  }

  function expectNoSecrets(output: string): void {
    for (const secret of SECRETS) expect(output).not.toContain(secret);
    for (const line of output.trim().split('\n')) expect(() => JSON.parse(line) as unknown).not.toThrow();
  }

  it('of Redis', async () => {
    const redis = await sharedRedis();
    const env = { DATABASE_URL: database.url, REDIS_URL: withWrongUser(redis.url), PROVER_URL: '127.0.0.1:1' };
    const output = await outputOf(
      'gateway',
      { ...env, RATE_LIMIT_ENABLED: 'true' },
      /rate limits are counted in memory/,
    );
    expect(output).toContain('WRONGPASS');
    expectNoSecrets(output);
  });

  it('of Postgres, whose error ends the process', async () => {
    const { brokers } = await sharedKafka();
    const env = { DATABASE_URL: withWrongUser(database.url), KAFKA_BROKERS: brokers.join() };
    const output = await outputOf('projector', env, /intruder/);
    expectNoSecrets(output);
  });

  it('of Kafka', async () => {
    const { brokers } = await sharedKafka();
    const env = {
      DATABASE_URL: database.url,
      KAFKA_BROKERS: brokers.join(),
      KAFKA_SASL_MECHANISM: 'plain',
      KAFKA_SASL_USERNAME: 'intruder',
      KAFKA_SASL_PASSWORD: decodeURIComponent(PASSWORD),
    };
    expectNoSecrets(await outputOf('projector', env, /SASL/));
  });

  it('of a node and a block stream', async () => {
    const [node, yellowstone] = await Promise.all([startRejectingNode(), FakeYellowstone.start()]);
    yellowstone.subscriptionError = { code: status.UNAUTHENTICATED, details: `wrong x-token ${TOKEN}` };
    const { port } = node.address() as AddressInfo;
    const env = {
      DATABASE_URL: database.url,
      SOLANA_RPC_URL: `http://intruder:${PASSWORD}@127.0.0.1:${port}/${KEY}?api-key=${QUERY_KEY}`,
      YELLOWSTONE_URL: yellowstone.url,
      YELLOWSTONE_TOKEN: TOKEN,
    };
    const output = await outputOf('fresnel', env, /rejected \//);
    expectNoSecrets(output);
    yellowstone.close();
    node.close();
  });
});
