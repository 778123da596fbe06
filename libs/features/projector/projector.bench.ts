import { type Batch, type Consumer, InMemoryBus } from '@fresnel/adapters/bus';
import { connect } from '@fresnel/adapters/store-schema';
import { ProjectionStore } from '@fresnel/adapters/store-write';
import { WorkerPool } from '@fresnel/adapters/worker-pool';
import { SLOT_EVENTS, type SlotEventsMessage } from '@fresnel/contracts/messages';
import { GENERATED_PROGRAMS, generateLedger } from '@fresnel/ledger-generator';
import { createLogger, Registry } from '@fresnel/platform';
import { type Bench, type BenchMeasurement } from '@fresnel/testing/generic';
import { readGeneratedSlots } from '@fresnel/testing/ledger';
import { provideSharedServers } from '@fresnel/testing/servers';
import { createTestDatabase } from '@fresnel/testing/store';
import { createProjectorMetrics } from './projector.metrics';
import { ProjectorService } from './projector.service';

const SLOTS = 400;
const TRANSACTIONS_PER_SLOT = 50;

export const bench: Bench = {
  title: 'Transactions projected, from messages to committed rows',
  data: `${SLOTS} generated slots with ${TRANSACTIONS_PER_SLOT} transactions each on the in-memory bus, an empty database each round, Postgres on the same machine`,
  unit: 'transactions',
  prepare: async () => {
    const stop = await provideSharedServers();
    const pool = new WorkerPool({ threads: 2 });
    const options = { seed: 5, slots: SLOTS, transactionsPerSlot: TRANSACTIONS_PER_SLOT };
    const messages = readGeneratedSlots([...generateLedger(options)]).map((events): SlotEventsMessage => ({
      kind: 'slot',
      events,
      isOfRange: false,
    }));
    return {
      ways: [
        { name: 'the next batch is written meanwhile', run: () => project(messages, pool, new InMemoryBus()) },
        { name: 'one batch after the other', run: () => project(messages, pool, new SingleBatchBus()) },
      ],
      close: async () => {
        await pool.close();
        await stop();
      },
    };
  },
};

/** Says of no batch that another one follows, so the indexed slot has advanced before the next one is written. */
class SingleBatchBus extends InMemoryBus {
  override consume<Message>(consumer: Consumer<Message>, signal: AbortSignal): Promise<void> {
    const onBatch = (batch: Batch<Message>) => consumer.onBatch({ ...batch, isFollowed: false });
    return super.consume({ ...consumer, onBatch }, signal);
  }
}

async function project(
  messages: readonly SlotEventsMessage[],
  { encodeJson, hashBatch }: WorkerPool,
  bus: InMemoryBus,
): Promise<BenchMeasurement> {
  const database = await createTestDatabase();
  const dataSource = await connect({ url: database.url, poolSize: 2, applicationName: 'bench' });
  const service = new ProjectorService(
    bus,
    new ProjectionStore(dataSource, undefined, encodeJson),
    hashBatch,
    GENERATED_PROGRAMS.compressedToken,
    createLogger('silent'),
    createProjectorMetrics(new Registry()),
  );
  const stop = new AbortController();
  const startedAt = performance.now();
  const running = service.run(stop.signal);
  await bus.publish(SLOT_EVENTS, messages, stop.signal);
  await Promise.race([bus.waitUntilDrained(stop.signal), running]);
  const seconds = (performance.now() - startedAt) / 1000;
  stop.abort();
  await running;
  const [{ count }] = await dataSource.query<{ count: string }[]>(`SELECT count(*) FROM transactions`);
  await dataSource.destroy();
  await database.drop();
  return { count: Number(count), seconds };
}
