import { JsonCursor, parseBlock } from '@fresnel/domain/events';
import { toSlot } from '@fresnel/domain/primitives';
import { Watchdog, whenAborted } from '@fresnel/platform';
import { useTime } from '@fresnel/platform/time';
import { linkBlocks } from '@fresnel/testing/chain';
import { ManualTime, until } from '@fresnel/testing/generic';
import { createTestIngest, PlayedBlocks, RecordingBus, rejectOnAbort } from '@fresnel/testing/ingest';
import { RepairService } from './repair.service';

describe('RepairService', () => {
  let stop: AbortController;
  beforeEach(() => {
    stop = new AbortController();
  });

  it('starts once the ingest has resumed', async () => {
    let markResumed = () => {};
    const resumed = new Promise<void>((resolve) => (markResumed = resolve));
    const steps: string[] = [];
    const loop = { run: () => Promise.resolve(void steps.push('repair')) };
    const running = new RepairService({ resumed }, [{ name: 'a repair', loop }]).run(stop.signal);
    steps.push('resumed');
    markResumed();
    await running;
    expect(steps).toEqual(['resumed', 'repair']);
  });

  it('ends without a repair if it is stopped before', async () => {
    const loop = { run: jest.fn((signal: AbortSignal) => whenAborted(signal)) };
    const running = new RepairService({ resumed: new Promise(() => {}) }, [{ name: 'a repair', loop }]).run(
      stop.signal,
    );
    stop.abort();
    await running;
    expect(loop.run.mock.calls.every(([signal]) => signal.aborted)).toBe(true);
  });

  it('fails with the error of one repair when all have ended', async () => {
    const error = new Error('positions were reset');
    let hasEnded = false;
    const other = async (signal: AbortSignal) => {
      await whenAborted(signal);
      hasEnded = true;
    };
    const repairs = [
      { name: 'a repair', loop: { run: other } },
      { name: 'another one', loop: { run: () => Promise.reject(error) } },
    ];
    await expect(new RepairService({ resumed: Promise.resolve() }, repairs).run(stop.signal)).rejects.toBe(error);
    expect(hasEnded).toBe(true);
  });

  it('is stuck while it compares stored blocks with the chain and gets no answer', async () => {
    const time = new ManualTime();
    const restoreTime = useTime(time);
    const watchdog = new Watchdog();
    const findIndexed = jest.fn(() => rejectOnAbort(stop.signal));
    const [{ slot, json }] = linkBlocks([1]);
    const ingest = createTestIngest({
      source: new PlayedBlocks([parseBlock(new JsonCursor(json), toSlot(slot))], rejectOnAbort),
      bus: new RecordingBus(),
      repairIntervalMs: 1_000,
      stored: {
        findIndexed,
        hasAfter: () => Promise.resolve(false),
        findBetween: () => Promise.resolve([]),
        listTreeBlocks: () => Promise.resolve([]),
        findSuspects: () => Promise.resolve([]),
      },
    });
    const running = ingest.run(stop.signal, watchdog);
    await until(() => {
      time.advance(1_000);
      return findIndexed.mock.calls.length > 0;
    }, [running]);
    time.advance(301_000);
    expect(watchdog.findStuck()).toContainEqual(
      expect.stringMatching(/^The repair of the index has not moved for 3\d\d s$/),
    );
    stop.abort();
    await running;
    expect(watchdog.findStuck()).toEqual([]);
    restoreTime();
  });
});
