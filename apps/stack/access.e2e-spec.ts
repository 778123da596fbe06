import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedPostgres } from '@fresnel/adapters/local-servers/postgres';
import { RedisServer } from '@fresnel/adapters/local-servers';
import { connect } from '@fresnel/adapters/store-schema';
import { findFreePort } from '@fresnel/platform';
import { Opened } from '@fresnel/testing/generic';
import { startTestKafka, TestAuthority, type TestCertificate, type TestKafka } from '@fresnel/testing/servers';
import { type CommandName, type Environment, LiveLedger, ServicesUnderTest } from '@fresnel/testing/stack';
import { type TestDatabase } from '@fresnel/testing/store';
import { Redis } from 'ioredis';
import {
  AclOperationTypes,
  AclPermissionTypes,
  AclResourceTypes,
  type Admin,
  Kafka,
  ResourcePatternTypes,
} from 'kafkajs';
import { Client } from 'pg';

const FILES = join(__dirname, '..', '..', 'docs', 'access');
const passwordOf = (user: string) => `password-of-${user}`;
const read = (file: string) => readFileSync(join(FILES, file), 'utf8');

/** A Postgres that has TLS, with the roles of `postgres-roles.sql`. */
async function startPostgres(folder: string, { certFile, keyFile }: TestCertificate) {
  const server = await EmbeddedPostgres.start(folder, () => undefined);
  const data = join(folder, 'postgres');
  const { uid, gid } = statSync(data);
  for (const [file, name] of [
    [certFile, 'server.crt'],
    [keyFile, 'server.key'],
  ]) {
    copyFileSync(file, join(data, name));
    chownSync(join(data, name), uid, gid);
    chmodSync(join(data, name), 0o600);
  }
  const admin = new Client(server.url);
  await admin.connect();
  for (const statement of ['ALTER SYSTEM SET ssl = on', 'SELECT pg_reload_conf()']) await admin.query(statement);
  const roles = read('postgres-roles.sql').replace(/:'(\w+)_password'/g, (_, role: string) => `'${passwordOf(role)}'`);
  await admin.query(roles);
  await admin.end();
  const urlOf = (role: string) => {
    const url = new URL(server.url);
    url.username = `fresnel_${role}`;
    url.password = passwordOf(role);
    url.searchParams.set('sslmode', 'verify-full');
    return url.href;
  };
  return { server, urlOf };
}

/** A Redis that has TLS only, with the users of `redis-users.acl`. */
async function startRedis(folder: string, { caFile }: TestAuthority, { certFile, keyFile }: TestCertificate) {
  const users = join(folder, 'users.acl');
  writeFileSync(
    users,
    read('redis-users.acl').replace(/>([A-Z]+)_PASSWORD/g, (_, user: string) => `>${passwordOf(user)}`),
  );
  const port = await findFreePort();
  const server = await RedisServer.start({
    folder,
    port,
    settings: {
      port: '0',
      'tls-port': String(port),
      'tls-cert-file': certFile,
      'tls-key-file': keyFile,
      'tls-ca-cert-file': caFile,
      'tls-auth-clients': 'no',
      aclfile: users,
    },
  });
  const urlOf = (user: string) => `rediss://fresnel-${user}:${passwordOf(user.toUpperCase())}@localhost:${port}`;
  return { server, urlOf };
}

const KAFKA_USERS = ['admin', 'fresnel-migrate', 'fresnel-ingest', 'fresnel-projector', 'fresnel-prover'];

/** A Kafka that has TLS and users only, and an authorizer. */
async function startKafka({ ca }: TestAuthority, { cert, key }: TestCertificate): Promise<TestKafka> {
  const inOneLine = (pem: string) => pem.replaceAll('\n', '\\n');
  const users = KAFKA_USERS.map((user) => `user_${user}="${passwordOf(user)}"`).join(' ');
  const login = `org.apache.kafka.common.security.plain.PlainLoginModule required`;
  return startTestKafka({
    'listener.security.protocol.map': 'PLAINTEXT:SASL_SSL,CONTROLLER:PLAINTEXT',
    'sasl.enabled.mechanisms': 'PLAIN',
    'sasl.mechanism.inter.broker.protocol': 'PLAIN',
    'listener.name.plaintext.plain.sasl.jaas.config': `${login} username="admin" password="${passwordOf('admin')}" ${users};`,
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.certificate.chain': inOneLine(cert),
    'ssl.keystore.key': inOneLine(key),
    'ssl.truststore.type': 'PEM',
    'ssl.truststore.certificates': inOneLine(ca),
    'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
    // The controller is on the same machine, and has no users.
    'super.users': 'User:admin;User:ANONYMOUS',
  });
}

/** Creates the rules of `kafka-acls.sh`. */
async function allowOperations(admin: Admin): Promise<void> {
  const rules = [...read('kafka-acls.sh').matchAll(/^acl (.*)$/gm)].flatMap(([, line]) => {
    const [, principal] = /--allow-principal (\S+)/.exec(line) ?? [];
    const [, kind, resourceName] = /--(topic|group) (\S+)/.exec(line) ?? [];
    const operations = [...line.matchAll(/--operation (\w+)/g)].map(([, name]) => OPERATIONS[name]);
    return operations.map((operation) => ({
      principal,
      operation,
      resourceName,
      resourceType: kind === 'topic' ? AclResourceTypes.TOPIC : AclResourceTypes.GROUP,
      resourcePatternType: line.includes('prefixed') ? ResourcePatternTypes.PREFIXED : ResourcePatternTypes.LITERAL,
      permissionType: AclPermissionTypes.ALLOW,
      host: '*',
    }));
  });
  expect(rules.length).toBeGreaterThan(20);
  await admin.createAcls({ acl: rules });
}

const OPERATIONS: Record<string, AclOperationTypes> = {
  Create: AclOperationTypes.CREATE,
  Delete: AclOperationTypes.DELETE,
  Describe: AclOperationTypes.DESCRIBE,
  DescribeConfigs: AclOperationTypes.DESCRIBE_CONFIGS,
  AlterConfigs: AclOperationTypes.ALTER_CONFIGS,
  Read: AclOperationTypes.READ,
  Write: AclOperationTypes.WRITE,
};

describe('services with the rights of docs/access, and servers that require TLS', () => {
  const opened = new Opened();
  let folder: string;
  let authority: TestAuthority;
  let kafka: TestKafka;
  let postgresUrlOf: (role: string) => string;
  let redisUrlOf: (user: string) => string;
  let services: ServicesUnderTest;

  const kafkaAs = (user: string) =>
    new Kafka({
      brokers: kafka.brokers,
      ssl: { ca: authority.ca },
      sasl: { mechanism: 'plain', username: user, password: passwordOf(user) },
      logCreator: () => () => undefined,
      retry: { retries: 0 },
    });

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'fresnel-access-'));
    authority = new TestAuthority();
    const certificate = authority.issue('server');
    const [postgres, redis] = await Promise.all([
      startPostgres(mkdtempSync(join(folder, 'postgres-')), certificate),
      startRedis(mkdtempSync(join(folder, 'redis-')), authority, certificate),
    ]);
    opened.add({ close: () => postgres.server.stop() });
    opened.add({ close: () => redis.server.kill() });
    [postgresUrlOf, redisUrlOf] = [postgres.urlOf, redis.urlOf];
    kafka = opened.add(await startKafka(authority, certificate));
    const admin = kafkaAs('admin').admin();
    await admin.connect();
    await allowOperations(admin);
    await admin.disconnect();
    const ledger = opened.add(await LiveLedger.open({ seed: 11, slots: 60, transactionsPerSlot: 2 }, 40));
    const dataSource = await connect({ url: postgres.server.url, poolSize: 2, applicationName: 'fresnel-tests' });
    const database: TestDatabase = {
      url: postgres.server.url,
      dataSource,
      empty: () => Promise.reject(new Error('not used')),
      drop: () => dataSource.destroy(),
    };
    services = opened.add(await ServicesUnderTest.start(ledger, { database, envOf }));
  });
  afterAll(async () => {
    await opened.close();
    authority.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  function envOf(service: CommandName, role: 'reader' | 'writer'): Environment {
    const { certFile, keyFile } = authority.issue(`${service}-${role}`);
    return {
      NODE_EXTRA_CA_CERTS: authority.caFile,
      KAFKA_BROKERS: kafka.brokers.join(),
      KAFKA_PREFIX: '',
      KAFKA_TLS: 'true',
      KAFKA_TLS_CA_FILE: authority.caFile,
      KAFKA_SASL_MECHANISM: 'plain',
      KAFKA_SASL_USERNAME: `fresnel-${service}`,
      KAFKA_SASL_PASSWORD: passwordOf(`fresnel-${service}`),
      DATABASE_URL: postgresUrlOf(service === 'migrate' ? 'migrate' : service === 'gateway' ? 'read' : 'write'),
      REDIS_URL: redisUrlOf(service === 'gateway' ? 'limits' : role),
      REDIS_KEY_PREFIX: '',
      RATE_LIMIT_ENABLED: 'true',
      RATE_LIMIT_POINTS: '1000000',
      PROVER_TLS_CA_FILE: authority.caFile,
      PROVER_TLS_CERT_FILE: certFile,
      PROVER_TLS_KEY_FILE: keyFile,
      ...(service === 'prover' && role === 'reader' ? { KAFKA_BROKERS: '', DATABASE_URL: '' } : {}),
    };
  }

  it('index a chain, and answer as the oracle does', async () => {
    expect(await services.differences()).toEqual([]);
  });

  it('cannot do more in Postgres', async () => {
    const queryAs = async (role: string, sql: string) => {
      const client = new Client({ connectionString: postgresUrlOf(role).replace('verify-full', 'no-verify') });
      await client.connect();
      try {
        return await client.query(sql);
      } finally {
        await client.end();
      }
    };
    await expect(queryAs('read', 'DELETE FROM accounts')).rejects.toThrow('permission denied');
    await expect(queryAs('write', 'DROP TABLE accounts')).rejects.toThrow('must be owner');
    await expect(queryAs('write', 'CREATE TABLE more (value int)')).rejects.toThrow('permission denied');
  });

  it('cannot do more in Redis', async () => {
    const commandAs = async (user: string, command: string, ...args: string[]) => {
      const redis = new Redis(redisUrlOf(user), { tls: { ca: authority.ca }, lazyConnect: true });
      await redis.connect();
      try {
        return await redis.call(command, ...args);
      } finally {
        redis.disconnect();
      }
    };
    const [key] = await keysOf(redisUrlOf('writer'));
    expect(key).toMatch(/^fresnel:trees:/);
    await expect(commandAs('limits', 'HGETALL', key)).rejects.toThrow('NOPERM');
    await expect(commandAs('reader', 'UNLINK', key)).rejects.toThrow('NOPERM');
    await expect(commandAs('reader', 'EVAL', "return redis.call('UNLINK', KEYS[1])", '1', key)).rejects.toThrow(
      /can't run this command|NOPERM/,
    );
    for (const user of ['writer', 'reader', 'limits'])
      await expect(commandAs(user, 'FLUSHALL')).rejects.toThrow('NOPERM');
  });

  async function keysOf(url: string): Promise<string[]> {
    const redis = new Redis(url, { tls: { ca: authority.ca } });
    const [, keys] = (await redis.call('SCAN', '0', 'MATCH', 'fresnel:trees:*', 'COUNT', '1000')) as [string, string[]];
    redis.disconnect();
    return keys;
  }

  it('cannot do more in Kafka', async () => {
    const sendAs = async (user: string, topic: string) => {
      const producer = kafkaAs(user).producer();
      await producer.connect();
      try {
        await producer.send({ topic, messages: [{ value: 'forged' }] });
      } finally {
        await producer.disconnect();
      }
    };
    for (const user of ['fresnel-projector', 'fresnel-prover']) {
      await expect(sendAs(user, 'slot-events')).rejects.toThrow('authorized');
      await expect(sendAs(user, 'tree-updates')).rejects.toThrow('authorized');
    }
  });
});
