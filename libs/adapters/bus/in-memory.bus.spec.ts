import { setImmediate as nextTurn } from 'node:timers/promises';
import { describeBusContract } from './bus.contract';
import { CONTRACT_PARTITIONS, numberedTopic } from '@fresnel/testing/bus';
import { InMemoryBus } from './in-memory.bus';

describe('InMemoryBus', () => {
  describeBusContract(() =>
    Promise.resolve({
      bus: new InMemoryBus({ partitionCount: CONTRACT_PARTITIONS, retryPauseMs: 1 }),
      topic: numberedTopic('contract'),
      close: () => Promise.resolve(),
    }),
  );

  const topic = numberedTopic('numbers');

  it('makes the producer wait while a consumer lags, and removes records that all groups have read', async () => {
    const bus = new InMemoryBus({ capacity: 2 });
    const stop = new AbortController();
    let published = 0;
    const publishing = (async () => {
      for (; published < 5; published++) await bus.publish(topic, [{ number: published }], stop.signal);
    })();
    await nextTurn();
    expect(published).toBe(2);
    const got: number[] = [];
    const onBatch = ({ messages }: { messages: readonly { number: number }[] }) => {
      got.push(...messages.map(({ number }) => number));
      return Promise.resolve();
    };
    const consumed = bus.consume(
      { group: 'one', topic, maxBatch: 1, claimPartition: () => Promise.resolve(null), onBatch },
      stop.signal,
    );
    await publishing;
    await bus.waitUntilDrained(stop.signal);
    stop.abort();
    await consumed;
    expect(got).toEqual([0, 1, 2, 3, 4]);
  });

  it('starts with a smaller capacity, which doubles with each batch', async () => {
    const bus = new InMemoryBus({ capacity: 5, firstCapacity: 2 });
    const stop = new AbortController();
    let published = 0;
    const publishing = (async () => {
      for (; published < 9; published++) await bus.publish(topic, [{ number: published }], stop.signal);
    })();
    const inLog: number[] = [];
    const onBatch = async ({ from }: { from: bigint }) => {
      await nextTurn();
      inLog.push(published - Number(from));
    };
    const consumed = bus.consume(
      { group: 'one', topic, maxBatch: 1, claimPartition: () => Promise.resolve(null), onBatch },
      stop.signal,
    );
    await publishing;
    await bus.waitUntilDrained(stop.signal);
    stop.abort();
    await consumed;
    expect(inLog).toEqual([2, 4, 5, 5, 5, 4, 3, 2, 1]);
  });

  it('makes the producer wait when the records take too much memory, but not for a single large record', async () => {
    const sized = { ...topic, bytesOf: ({ number }: { number: number }) => number };
    const bus = new InMemoryBus({ maxBytes: 10 });
    const stop = new AbortController();
    const published: number[] = [];
    const publishing = (async () => {
      for (const number of [6, 4, 1, 99, 1]) {
        await bus.publish(sized, [{ number }], stop.signal);
        published.push(number);
      }
    })();
    await nextTurn();
    expect(published).toEqual([6, 4]);
    const pending: number[][] = [];
    const onBatch = async () => {
      await nextTurn();
      pending.push([...published]);
    };
    const consumed = bus.consume(
      { group: 'one', topic: sized, maxBatch: 1, claimPartition: () => Promise.resolve(null), onBatch },
      stop.signal,
    );
    await publishing;
    await bus.waitUntilDrained(stop.signal);
    stop.abort();
    await consumed;
    // At each batch: 99 is in the log alone, and nothing is published beside it.
    expect(pending).toEqual([
      [6, 4],
      [6, 4, 1],
      [6, 4, 1],
      [6, 4, 1, 99],
      [6, 4, 1, 99, 1],
    ]);
  });

  it('rejects a consumer that has read nothing after the consumers of the last run have', async () => {
    const bus = new InMemoryBus({ firstOffset: () => 41n });
    const handlers = { claimPartition: () => Promise.resolve(null), onBatch: () => Promise.resolve() };
    const consumed = bus.consume({ group: 'one', topic, maxBatch: 10, ...handlers }, new AbortController().signal);
    await expect(consumed).rejects.toThrow('one has position 0, but the log contains 41 to 41');
  });

  it('starts at the offset where the consumers of the last run stopped', async () => {
    const bus = new InMemoryBus({ firstOffset: () => 41n });
    const stop = new AbortController();
    const offsets: bigint[] = [];
    const consumed = bus.consume(
      {
        group: 'one',
        topic,
        maxBatch: 10,
        claimPartition: () => Promise.resolve(41n),
        onBatch: ({ from, to }) => {
          offsets.push(from, to);
          stop.abort();
          return Promise.resolve();
        },
      },
      stop.signal,
    );
    await bus.publish(topic, [{ number: 0 }], stop.signal);
    await consumed;
    expect(offsets).toEqual([41n, 42n]);
  });

  it('is drained when a group joins behind all records, which it applied before', async () => {
    const bus = new InMemoryBus();
    const stop = new AbortController();
    await bus.publish(topic, [{ number: 0 }, { number: 1 }], stop.signal);
    const handlers = { claimPartition: () => Promise.resolve(2n), onBatch: () => Promise.resolve() };
    const drained = bus.waitUntilDrained(stop.signal);
    const consumed = bus.consume({ group: 'one', topic, maxBatch: 10, ...handlers }, stop.signal);
    await drained;
    stop.abort();
    await consumed;
  });

  it('ends the wait of a producer when the signal aborts', async () => {
    const bus = new InMemoryBus({ capacity: 1 });
    const stop = new AbortController();
    const publishing = bus.publish(topic, [{ number: 0 }, { number: 1 }], stop.signal);
    stop.abort(new Error('enough'));
    await expect(publishing).rejects.toThrow('enough');
  });
});
