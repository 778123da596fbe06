import { setTimeout as sleep } from 'node:timers/promises';
import { createTopics, KafkaBus } from '@fresnel/adapters/bus';
import { SLOT_EVENTS, type SlotEventsMessage, TREE_UPDATES } from '@fresnel/contracts/messages';
import { generateLedger } from '@fresnel/ledger-generator';
import { createLogger } from '@fresnel/platform';
import { type Bench } from '@fresnel/testing/generic';
import { readGeneratedSlots } from '@fresnel/testing/ledger';
import { provideSharedServers, startTestKafka } from '@fresnel/testing/servers';
import { FresnelProcess } from '@fresnel/testing/stack';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';

const SLOTS = 1_500;
const PARTITIONS = 6;
const TABLES = [
  'accounts',
  'spends',
  'owner_signatures',
  'token_owner_signatures',
  'token_holders',
  'transactions',
  'blocks',
];
const LOG = createLogger('silent');

export const bench: Bench = {
  title: 'Rows projected by several projectors',
  data: `${SLOTS} generated slots with 8 transactions each over ${PARTITIONS} partitions; projectors, Kafka and Postgres on the same machine; from the first row to the last`,
  unit: 'rows',
  prepare: async () => {
    const stop = await provideSharedServers();
    const blocks = [...generateLedger({ seed: 5, slots: SLOTS, transactionsPerSlot: 8 })];
    const messages = readGeneratedSlots(blocks).map((events): SlotEventsMessage => ({
      kind: 'slot',
      events,
      isOfRange: false,
    }));
    return {
      ways: [1, 2, 3].map((count) => ({
        name: `${count} projector${count > 1 ? 's' : ''}`,
        run: () => project(messages, count),
      })),
      close: stop,
    };
  },
};

/** Runs on a broker and a database of its own, so that runs do not influence each other. */
async function project(messages: SlotEventsMessage[], count: number): Promise<{ count: number; seconds: number }> {
  const kafka = await startTestKafka();
  const database = await createTestDatabase();
  const config = { brokers: kafka.brokers, clientId: 'bench' };
  const layouts = [SLOT_EVENTS, TREE_UPDATES].map((topic) => ({ topic, partitions: PARTITIONS, retentionMs: null }));
  await createTopics(config, layouts, { replicationFactor: 1, minInsyncReplicas: 1 }, LOG);
  const projectors = Array.from({ length: count }, () =>
    FresnelProcess.start(
      [],
      { KAFKA_BROKERS: kafka.brokers.join(), DATABASE_URL: database.url, HEALTH_PORT: '0' },
      'projector',
    ),
  );
  await Promise.all(projectors.map((projector) => projector.waitFor(equalShare(count))));
  const bus = new KafkaBus({ config, logger: LOG });
  await bus.publish(SLOT_EVENTS, messages, new AbortController().signal);
  const result = await measure(database, messages.length);
  await Promise.all(projectors.map((projector) => projector.end('SIGTERM')));
  await bus.close();
  await database.drop();
  await kafka.drop();
  return result;
}

/** The log line of a projector that has been assigned an equal share of the partitions. */
function equalShare(count: number): RegExp {
  return new RegExp(`"partitions":\\[\\d+(,\\d+){${PARTITIONS / count - 1}}\\]`);
}

async function measure({ dataSource }: TestDatabase, slots: number): Promise<{ count: number; seconds: number }> {
  const countRows = async (tables: readonly string[]) => {
    const counts = tables.map((table) => `(SELECT count(*) FROM ${table})`);
    const [{ count }] = await dataSource.query<{ count: string }[]>(`SELECT ${counts.join(' + ')} AS count`);
    return Number(count);
  };
  while ((await countRows(['blocks'])) === 0) await sleep(5);
  const startedAt = performance.now();
  const before = await countRows(TABLES);
  while ((await countRows(['blocks'])) < slots) await sleep(20);
  return { count: (await countRows(TABLES)) - before, seconds: (performance.now() - startedAt) / 1000 };
}
