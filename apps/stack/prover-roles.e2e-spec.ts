import { createTopics, KafkaBus } from '@fresnel/adapters/bus';
import { GrpcProverClient, type NewAddressProofs } from '@fresnel/adapters/prover-client';
import { PROVER_GROUP, TREE_UPDATES } from '@fresnel/contracts/messages';
import { poseidon } from '@fresnel/domain/poseidon';
import { toSlot } from '@fresnel/domain/primitives';
import { createLogger } from '@fresnel/platform';
import { blockLinkAt } from '@fresnel/testing/chain';
import { eventually, PATIENCE_MS, sendHttp } from '@fresnel/testing/generic';
import { TreeRecords } from '@fresnel/testing/messages';
import { type SharedKafka, sharedKafka, sharedRedis } from '@fresnel/testing/servers';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';
import { type Environment, FresnelProcess } from '@fresnel/testing/stack';
import { AddressTreeModel, testAddress, testAddressTree } from '@fresnel/testing/trees';
import { Kafka, logLevel } from 'kafkajs';

const PARTITIONS = 2;
/** Long enough for a proof on a slow machine. */
const DRAIN_MS = 5_000;
const ASSIGNED = /"partitions":\[[\d,]+\],"msg":"partitions assigned"/;
const logger = createLogger('silent');

describe('a prover that writes and provers that read', () => {
  let kafka: SharedKafka;
  let bus: KafkaBus;
  let database: TestDatabase;
  let env: Environment;
  const processes: FresnelProcess[] = [];
  const clients: GrpcProverClient[] = [];
  const model = new AddressTreeModel(testAddressTree('addressV1'), poseidon);
  const records = new TreeRecords();
  const stop = new AbortController();
  let slot = 0;
  let writer: FresnelProcess;
  let reader: GrpcProverClient;

  beforeAll(async () => {
    kafka = await sharedKafka();
    const redis = await sharedRedis();
    const layout = { topic: TREE_UPDATES, partitions: PARTITIONS, retentionMs: null };
    await createTopics(kafka, [layout], { replicationFactor: 1, minInsyncReplicas: 1 }, logger);
    bus = new KafkaBus({ config: kafka, logger });
    database = await createTestDatabase();
    env = {
      REDIS_URL: redis.url,
      REDIS_KEY_PREFIX: redis.prefix,
      KAFKA_PREFIX: kafka.prefix,
      PROVER_PORT: '0',
      HEALTH_PORT: '0',
    };
    writer = start({ PROVER_ROLE: 'writer', KAFKA_BROKERS: kafka.brokers.join(), DATABASE_URL: database.url });
    await writer.waitFor(ASSIGNED);
    reader = await startReader();
  });
  afterAll(async () => {
    for (const client of clients) client.close();
    await Promise.all(processes.map((process) => process.end('SIGTERM')));
    await bus.close();
    await database.drop();
  });

  function start(variables: Environment): FresnelProcess {
    const process = FresnelProcess.start([], { ...env, ...variables }, 'prover');
    processes.push(process);
    return process;
  }

  /** Starts a reader. It has neither brokers nor a database. */
  async function startReader(): Promise<GrpcProverClient> {
    const process = start({ PROVER_ROLE: 'reader', SHUTDOWN_DRAIN_MS: String(DRAIN_MS) });
    const [, port] = await process.waitFor(/"port":(\d+),"msg":"prover listening"/);
    const client = new GrpcProverClient({ address: `127.0.0.1:${port}`, deadlineMs: PATIENCE_MS });
    clients.push(client);
    return client;
  }

  /** Inserts an address into the tree in the next slot, and waits until the writer has. */
  async function insert(number: number): Promise<void> {
    slot++;
    const update = model.updateAt(slot, model.insert(testAddress(number)));
    await bus.publish(TREE_UPDATES, records.of(blockLinkAt(slot), [update]), stop.signal);
    await bus.waitUntilApplied(TREE_UPDATES, PROVER_GROUP, stop.signal);
  }

  const prove = (client: GrpcProverClient): Promise<NewAddressProofs> =>
    client.proveNewAddresses(model.info.tree, [testAddress(1_000)], toSlot(slot));

  async function listMembers(): Promise<number> {
    const admin = new Kafka({ brokers: kafka.brokers, clientId: 'tests', logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    const { groups } = await admin.describeGroups([`${kafka.prefix}${PROVER_GROUP}`]);
    await admin.disconnect();
    return groups[0].members.length;
  }

  it('serve proofs from every reader, and more readers rebalance nothing', async () => {
    // A new chain has no tree and no block.
    const [, health] = await processes[1].waitFor(/"port":(\d+),"msg":"serving health and metrics"/);
    const ready = () => sendHttp(`http://127.0.0.1:${health}/health/ready`, { method: 'GET' });
    await eventually('the reader is ready', async () => (await ready()).status === 200);
    await insert(1);
    expect(await prove(reader)).toMatchObject({ root: model.root, rootSeq: model.seq });
    await insert(2);
    for (const each of [reader, await startReader()])
      expect(await prove(each)).toMatchObject({ root: model.root, slot });
    expect([await listMembers(), writer.output.split(ASSIGNED).length - 1]).toEqual([1, 1]);
  });

  it('report their health, and the writer serves no proofs', async () => {
    for (const process of processes) {
      const [, port] = await process.waitFor(/"port":(\d+),"msg":"serving health and metrics"/);
      const ready = () => sendHttp(`http://127.0.0.1:${port}/health/ready`, { method: 'GET' });
      await eventually('the prover is ready', async () => (await ready()).status === 200);
      const metrics = await sendHttp(`http://127.0.0.1:${port}/metrics`, { method: 'GET' });
      const isWriter = process === writer;
      expect(metrics.text.includes('fresnel_prover_slot')).toBe(isWriter);
      expect(metrics.text.includes('fresnel_prover_waiting_requests')).toBe(!isWriter);
    }
    expect(writer.output).not.toContain('prover listening');
  });

  // The last one that needs the reader.
  it('serve proofs after SIGTERM while they report that they are not ready, then exit with code 0', async () => {
    const [, process] = processes;
    const [, port] = await process.waitFor(/"port":(\d+),"msg":"serving health and metrics"/);
    const status = async () => (await sendHttp(`http://127.0.0.1:${port}/health/ready`, { method: 'GET' })).status;
    await eventually('the reader is ready', async () => (await status()) === 200);
    await insert(3);
    process.signal('SIGTERM');
    await eventually('the reader is not ready', async () => (await status()) === 503);
    expect(await prove(reader)).toMatchObject({ root: model.root });
    expect((await process.exited()).code).toBe(0);
  });

  it('exit with code 2 if the brokers and the database of a writer are missing', async () => {
    const { code, stderr } = await start({ PROVER_ROLE: 'writer' }).exited();
    expect(code).toBe(2);
    for (const name of ['KAFKA_BROKERS', 'DATABASE_URL']) expect(stderr).toContain(`${name}: must be set`);
  });
});
