import { randomBytes } from 'node:crypto';
import { FresnelError } from '@fresnel/domain/primitives';
import { type MessageCodec, type Topic } from '@fresnel/contracts/messages';
import { createLogger } from '@fresnel/platform';
import { createTestTopic, type Numbered } from '@fresnel/testing/bus';
import { until } from '@fresnel/testing/generic';
import { type SharedKafka, sharedKafka } from '@fresnel/testing/servers';
import { KafkaBus } from './kafka.bus';
import { readRecords } from './kafka.read-records';

const PARTITIONS = 2;
const RECORDS = 6_000;
/** Random bytes, which cannot be compressed: the backlog of a partition has several times the bytes of a fetch. */
const RECORD_BYTES = 1_000;
const MAX_BATCH = 50;
const logger = createLogger('silent');

class HaltedError extends FresnelError {
  readonly code = 'halted';
  readonly isRetryable = true;
}

/** Counts how many messages are decoded. */
class CountingCodec implements MessageCodec<Numbered> {
  readonly version = 1;
  decoded = 0;

  encode({ number }: Numbered): Buffer {
    const bytes = randomBytes(RECORD_BYTES);
    bytes.writeUInt32BE(number);
    return bytes;
  }

  decode(bytes: Uint8Array): Numbered {
    this.decoded++;
    return { number: Buffer.from(bytes).readUInt32BE() };
  }
}

describe('a consumer with a long backlog', () => {
  let kafka: SharedKafka;
  let bus: KafkaBus;
  let codec: CountingCodec;
  let topic: Topic<Numbered>;
  const stop = new AbortController();
  let running: Promise<void> | undefined;
  beforeAll(async () => {
    kafka = await sharedKafka();
    bus = new KafkaBus({ config: { brokers: kafka.brokers, clientId: 'tests' }, logger, retryPauseMs: 10 });
    codec = new CountingCodec();
    topic = { ...(await createTestTopic(kafka, PARTITIONS)), codec };
    const numbers = Array.from({ length: RECORDS }, (_, number) => ({ number }));
    await bus.publish(topic, numbers, stop.signal);
  });
  afterAll(async () => {
    stop.abort();
    await running;
    await bus.close();
  });

  it('decodes only the next batch, during a halt and after it', async () => {
    let isHalted = true;
    let halts = 0;
    let applied = 0;
    let mostDecoded = 0;
    running = bus.consume(
      {
        group: `group-of-${topic.name}`,
        topic,
        maxBatch: MAX_BATCH,
        claimPartition: () => Promise.resolve(null),
        onBatch: ({ messages }) => {
          // The batches of the partitions may be decoded at the same time.
          mostDecoded = Math.max(mostDecoded, codec.decoded);
          codec.decoded = 0;
          if (isHalted) {
            halts++;
            return Promise.reject(new HaltedError('a dependency is missing'));
          }
          applied += messages.length;
          return Promise.resolve();
        },
      },
      stop.signal,
    );
    await until(() => halts >= 3 * PARTITIONS, [running]);
    isHalted = false;
    await until(() => applied === RECORDS, [running]);
    expect(mostDecoded).toBeGreaterThan(0);
    expect(mostDecoded).toBeLessThanOrEqual(PARTITIONS * MAX_BATCH);
  });

  it('keeps only the selected part of the last records', async () => {
    let selected = 0;
    const config = { brokers: kafka.brokers, clientId: 'tests' };
    const select = ({ number }: Numbered) => {
      selected++;
      return number;
    };
    const records = await readRecords(config, topic, { count: 3, end: 'newest', select }, logger, stop.signal);
    expect(records.map(({ message }) => message)).toEqual([5994, 5996, 5998, 5995, 5997, 5999]);
    expect(selected).toBe(records.length);
  });
});
