import { setTimeout as sleep } from 'node:timers/promises';
import { type Topic } from '@fresnel/contracts/messages';
import { FresnelError } from '@fresnel/domain/primitives';
import { CONTRACT_PARTITIONS, type Numbered } from '@fresnel/testing/bus';
import { inSpan } from '@fresnel/platform';
import { eventually, until } from '@fresnel/testing/generic';
import { recordSpans } from '@fresnel/testing/tracing';
import { type Batch, type Bus, type Consumer, OffsetOutOfRangeError } from './bus';

/** The implementation under test. */
export interface BusUnderTest {
  bus: Bus;
  /** An empty topic with CONTRACT_PARTITIONS partitions. */
  topic: Topic<Numbered>;
  close(): Promise<void>;
}

class Retryable extends FresnelError {
  readonly code = 'test-retryable';
  readonly isRetryable = true;
}

/** The contract suite of `Bus`. @param open creates a bus with room for at least 64 records per partition */
export function describeBusContract(open: () => Promise<BusUnderTest>): void {
  describe('the bus contract', () => {
    let subject: BusUnderTest;
    let stop: AbortController;
    let running: Promise<void>[];
    beforeEach(async () => {
      subject = await open();
      stop = new AbortController();
      running = [];
    });
    afterEach(async () => {
      stop.abort();
      await Promise.allSettled(running);
      await subject.close();
    });

    const range = (count: number) => Array.from({ length: count }, (_, number) => ({ number }));

    /** Starts a consumer that records what it receives. */
    function start(group: string, more: Partial<Consumer<Numbered>> = {}) {
      const got: number[][] = Array.from({ length: CONTRACT_PARTITIONS }, () => []);
      const batches: Batch<Numbered>[] = [];
      const consumer: Consumer<Numbered> = {
        group,
        topic: subject.topic,
        maxBatch: 10,
        claimPartition: () => Promise.resolve(null),
        onBatch: (batch) => {
          batches.push(batch);
          got[batch.partition].push(...batch.messages.map(({ number }) => number));
          return Promise.resolve();
        },
        ...more,
      };
      const ended = subject.bus.consume(consumer, stop.signal);
      running.push(ended);
      return { got, batches, ended };
    }

    it('delivers every message once to each group, in order within a partition', async () => {
      const one = start('one');
      const two = start('two');
      await subject.bus.publish(subject.topic, range(30), stop.signal);
      await until(() => [one, two].every(({ got }) => got.flat().length === 30));
      const expected = [0, 1, 2].map((partition) =>
        range(30)
          .map(({ number }) => number)
          .filter((number) => number % 3 === partition),
      );
      expect(one.got).toEqual(expected);
      expect(two.got).toEqual(expected);
      stop.abort();
      await Promise.all([one.ended, two.ended]);
    });

    it('sends a message for all partitions to each of them, in order', async () => {
      const { got } = start('one');
      await subject.bus.publish(subject.topic, [{ number: 0 }, { number: -1 }, { number: 3 }], stop.signal);
      await until(() => got.flat().length === 5);
      expect(got).toEqual([[0, -1, 3], [-1], [-1]]);
    });

    it('numbers records without gaps and respects the batch limit', async () => {
      const { batches } = start('one', { maxBatch: 4 });
      await subject.bus.publish(subject.topic, range(30), stop.signal);
      await until(() => batches.reduce((sum, { messages }) => sum + messages.length, 0) === 30);
      for (const partition of [0, 1, 2]) {
        let at = 0n;
        for (const { from, to, messages } of batches.filter((batch) => batch.partition === partition)) {
          expect([from, to - from]).toEqual([at, BigInt(messages.length)]);
          expect(messages.length).toBeLessThanOrEqual(4);
          at = to;
        }
        expect(at).toBe(10n);
      }
    });

    it('says whether a batch is followed by another one that has arrived', async () => {
      await subject.bus.publish(subject.topic, range(30), stop.signal);
      const { batches } = start('one', { maxBatch: 4 });
      await until(() => batches.reduce((sum, { messages }) => sum + messages.length, 0) === 30);
      for (const partition of [0, 1, 2]) {
        const followed = batches.filter((batch) => batch.partition === partition).map(({ isFollowed }) => isFollowed);
        expect(followed).toEqual([true, true, false]);
      }
    });

    it('limits a batch by the sizes of its messages, and delivers a larger message alone', async () => {
      const sizes = [3, 6, 21, 0, 3, 300, 9, 9, 9, 9];
      const messages = sizes.map((number) => ({ number }));
      await subject.bus.publish(subject.topic, messages, stop.signal);
      const { batches } = start('one', { sizeLimit: { max: 30, sizeOf: ({ number }) => number } });
      await until(() => batches.reduce((sum, { messages }) => sum + messages.length, 0) === sizes.length);
      expect(batches.flatMap(({ messages }) => messages.map(({ number }) => number))).toEqual(sizes);
      for (const { from, to, messages } of batches) {
        expect(to - from).toBe(BigInt(messages.length));
        const size = messages.reduce((sum, { number }) => sum + number, 0);
        expect(messages.length === 1 || size <= 30).toBe(true);
      }
    });

    it('starts at the position of the consumer', async () => {
      const other = start('other'); // keeps the records if the bus removes records that all groups have read
      await subject.bus.publish(subject.topic, range(12), stop.signal);
      await until(() => other.got.flat().length === 12);
      const { got } = start('one', { claimPartition: () => Promise.resolve(4n) });
      await subject.bus.publish(subject.topic, [{ number: 12 }], stop.signal);
      await until(() => got[0].includes(12));
      expect(got[0]).toEqual([12]);
    });

    it('delivers a batch again after a retryable error of its handler', async () => {
      const failures = [new Retryable('once'), new Retryable('twice')];
      const seen: number[] = [];
      start('one', {
        onBatch: ({ messages }) => {
          seen.push(...messages.map(({ number }) => number));
          const failure = failures.shift();
          return failure ? Promise.reject(failure) : Promise.resolve();
        },
      });
      await subject.bus.publish(subject.topic, [{ number: 0 }], stop.signal);
      await until(() => seen.length === 3);
      await subject.bus.publish(subject.topic, [{ number: 3 }], stop.signal);
      await until(() => seen.length === 4);
      expect(seen).toEqual([0, 0, 0, 3]);
    });

    it('ends the consumption with any other error', async () => {
      const { ended } = start('one', { onBatch: () => Promise.reject(new Error('a bug')) });
      await subject.bus.publish(subject.topic, [{ number: 0 }], stop.signal);
      await expect(ended).rejects.toThrow('a bug');
    });

    it('rejects a position that is not in the log', async () => {
      const { ended } = start('one', { claimPartition: () => Promise.resolve(1_000n) });
      await expect(ended).rejects.toThrow(OffsetOutOfRangeError);
    });

    /** Records when a promise settles. */
    function watch(promise: Promise<void>): { isSettled: boolean; promise: Promise<void> } {
      const watched = { isSettled: false, promise };
      void promise.then(() => {
        watched.isSettled = true;
      });
      return watched;
    }

    describe('waits until a group has applied all published messages', () => {
      /** Ends when the position of a group was read several times: a wait that began before has read it too. */
      async function untilLookedAgain(group: string): Promise<void> {
        for (let look = 0; look < 5; look++) await subject.bus.findLag(subject.topic, group, stop.signal);
      }

      it('until its last batch is applied, regardless of other groups', async () => {
        const gate = new AbortController();
        const open = new Promise((resolve) => {
          gate.signal.addEventListener('abort', resolve);
        });
        const fast = start('fast');
        start('slow', { maxBatch: 1, onBatch: ({ partition }) => (partition === 2 ? open.then() : Promise.resolve()) });
        await subject.bus.publish(subject.topic, range(6), stop.signal);
        await subject.bus.waitUntilApplied(subject.topic, 'fast', stop.signal);
        expect(fast.got.flat()).toHaveLength(6);
        const slow = watch(subject.bus.waitUntilApplied(subject.topic, 'slow', stop.signal));
        await untilLookedAgain('slow');
        expect(slow.isSettled).toBe(false);
        gate.abort();
        await slow.promise;
      });

      it('also while messages are published faster than the group applies them', async () => {
        const counts = { published: 0, applied: 0 };
        const onBatch = async () => {
          await sleep(10);
          counts.applied++;
        };
        start('one', { maxBatch: 1, onBatch });
        const done = new AbortController();
        const publishing = (async () => {
          while (!done.signal.aborted) {
            await subject.bus.publish(subject.topic, range(12), stop.signal);
            counts.published += 12;
          }
        })();
        await until(() => counts.applied > 0 && counts.published > 2 * counts.applied);
        await subject.bus.waitUntilApplied(subject.topic, 'one', stop.signal);
        done.abort();
        await publishing;
      });

      it('also while the group has no member', async () => {
        await subject.bus.publish(subject.topic, range(3), stop.signal);
        const applied = watch(subject.bus.waitUntilApplied(subject.topic, 'absent', stop.signal));
        await untilLookedAgain('absent');
        expect(applied.isSettled).toBe(false);
        start('absent');
        await applied.promise;
      });

      it('and throws when the signal aborts', async () => {
        await subject.bus.publish(subject.topic, range(3), stop.signal);
        const ending = new AbortController();
        const applied = subject.bus.waitUntilApplied(subject.topic, 'absent', ending.signal);
        ending.abort(new Error('enough'));
        await expect(applied).rejects.toThrow('enough');
      });
    });

    it('finds the records that a group has not applied where it is furthest behind', async () => {
      const gate = new AbortController();
      const open = new Promise((resolve) => {
        gate.signal.addEventListener('abort', resolve);
      });
      const lagOf = (group: string) => subject.bus.findLag(subject.topic, group, stop.signal);
      expect(await lagOf('absent')).toBe(0);
      start('slow', { maxBatch: 1, onBatch: ({ partition }) => (partition === 2 ? open.then() : Promise.resolve()) });
      await subject.bus.publish(subject.topic, range(3 * CONTRACT_PARTITIONS), stop.signal);
      expect(await lagOf('absent')).toBe(3);
      await subject.bus.publish(subject.topic, [{ number: 2 }], stop.signal);
      await eventually('the other partitions are applied', async () => (await lagOf('slow')) === 4);
      gate.abort();
      await eventually('all is applied', async () => (await lagOf('slow')) === 0);
    });

    it('finishes the started batch when it is stopped', async () => {
      let finish: (() => void) | undefined;
      const onBatch = () => new Promise<void>((resolve) => (finish = resolve));
      const consuming = watch(start('one', { onBatch }).ended);
      await subject.bus.publish(subject.topic, [{ number: 0 }], stop.signal);
      await until(() => finish !== undefined);
      stop.abort();
      await subject.bus.findLag(subject.topic, 'one', new AbortController().signal);
      expect(consuming.isSettled).toBe(false);
      finish?.();
      await consuming.promise;
    });

    it('delivers a batch in a span that is linked to the span in which its messages were published', async () => {
      const recorded = recordSpans();
      const publish = (...messages: Numbered[]) => subject.bus.publish(subject.topic, messages, stop.signal);
      await publish({ number: 0 });
      await inSpan('publish', {}, () => publish({ number: 3 }, { number: 6 }));
      let count = 0;
      const { ended } = start('one', {
        onBatch: ({ messages }) =>
          inSpan('handle', {}, () => {
            count += messages.length;
            return Promise.resolve();
          }),
      });
      await until(() => count === 3);
      stop.abort();
      await ended;
      const idsOf = (name: RegExp) =>
        recorded.getFinishedSpans().flatMap((span) => (name.test(span.name) ? [span.spanContext().spanId] : []));
      const batches = recorded.getFinishedSpans().filter(({ name }) => name.startsWith('process '));
      const linked = batches.flatMap(({ links }) => links.map(({ context }) => context.spanId));
      expect(linked).toEqual(idsOf(/^publish$/));
      const handled = recorded.getFinishedSpans().filter(({ name }) => name === 'handle');
      expect(handled.map(({ parentSpanContext: parent }) => parent?.spanId)).toEqual(idsOf(/^process/));
    });
  });
}
