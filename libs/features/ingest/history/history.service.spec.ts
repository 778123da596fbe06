import { IncompleteTreesError } from '@fresnel/adapters/chain';
import { HistoryAnswerError, HistoryRefusedError } from '@fresnel/adapters/chain/history';
import { type BlockLink, type HistoryFinding, type FindingReason } from '@fresnel/domain/chain';
import { FresnelError, toSlot } from '@fresnel/domain/primitives';
import { generatedTrees } from '@fresnel/ledger-generator';
import { useTime } from '@fresnel/platform/time';
import { Registry } from '@fresnel/platform';
import { captureLog, ManualTime } from '@fresnel/testing/generic';
import { testHash } from '@fresnel/testing/slots';
import { createHistoryMetrics } from './history.metrics';
import { type HistoryRecheck, HistoryService, type HistoryServiceParts } from './history.service';

const [ONE, OTHER] = generatedTrees();
const ANCHOR = { slot: toSlot(200), blockhash: testHash(1) };
const finding = (reason: FindingReason, { tree } = ONE): HistoryFinding => {
  return { tree, reason, sequenceNumbers: null, slots: [toSlot(100), toSlot(200)] };
};
const [LACKS, LACKS_SPEND, OTHER_LACKS] = [
  finding('operations-missing'),
  finding('spend-missing'),
  finding('tree-missing', OTHER),
];

class AwayError extends FresnelError {
  readonly code = 'away';
  readonly isRetryable = true;
}

describe('the comparison of a new index', () => {
  let anchors: (typeof ANCHOR | null)[];
  let indexed: number[];
  /** The oldest stored block above the indexed one, if there is one. */
  let above: BlockLink[][];
  let isChecked: boolean;
  /** What the comparison before has found. */
  let stored: HistoryFinding[];
  /** What each comparison finds; the last one is repeated. */
  let found: (HistoryFinding[] | Error)[];
  /** Whether each request to other sources finds something; null: there are none. */
  let healed: (boolean | Error)[] | null;
  let saved: readonly HistoryFinding[][];
  let compared: (readonly number[])[];
  let asked: (readonly HistoryFinding[])[];
  let problems: string[];
  let registry: Registry;
  let log: ReturnType<typeof captureLog>;
  beforeEach(() => {
    [anchors, indexed, above, isChecked, stored, found, healed] = [[ANCHOR], [200], [[]], false, [], [[]], null];
    [saved, compared, asked, problems, log] = [[], [], [], [], captureLog()];
  });

  const next = <Value>(values: Value[]): Value => (values.length > 1 ? (values.shift() as Value) : values[0]);

  async function run(
    recheck: HistoryRecheck = 'never',
    signal = new AbortController().signal,
    patienceMs = Infinity,
  ): Promise<void> {
    registry = new Registry();
    const parts = {
      history: {
        findAnchor: () => Promise.resolve(next(anchors)),
        isChecked: () => Promise.resolve(isChecked),
        listFindings: () => Promise.resolve(stored),
        saveProblem: (reason: string) => Promise.resolve(void problems.push(reason)),
        saveFindings: (findings: HistoryFinding[]) => {
          saved = [...saved, findings];
          return Promise.resolve();
        },
      },
      tables: {
        findIndexEnd: () =>
          Promise.resolve({ indexed: { slot: next(indexed), blockhash: testHash(0) }, above: next(above) }),
        findFirstSlot: () => Promise.resolve(100),
      },
      bus: { waitUntilApplied: () => Promise.resolve() },
      check: {
        run: (slots: readonly number[]) => {
          compared.push(slots);
          const result = next(found);
          return result instanceof Error ? Promise.reject(result) : Promise.resolve(result);
        },
      },
      healer: healed && {
        heal: (findings: readonly HistoryFinding[]) => {
          asked.push(findings);
          const result = next(healed ?? []);
          return result instanceof Error ? Promise.reject(result) : Promise.resolve(result);
        },
      },
      trees: () => [ONE, OTHER],
      logger: log.logger,
      metrics: createHistoryMetrics(registry, []),
    };
    await new HistoryService(parts as unknown as HistoryServiceParts, { recheck, patienceMs }).run(signal);
  }

  it('is made once if nothing is missing', async () => {
    await run();
    expect([compared, saved]).toEqual([[[100, 200]], [[]]]);
    expect(log.lines.map(({ level, msg }) => [level, msg])).toEqual([
      ['info', 'history is complete: every tree has the state that the chain has'],
    ]);
  });

  it('waits until the index has passed the anchor', async () => {
    [anchors, indexed] = [
      [null, ANCHOR],
      [199, 200],
    ];
    await run();
    expect([anchors.length, indexed.length, compared.length]).toEqual([1, 1, 1]);
  });

  it('says in a command that a slot is missing to which nothing is applied any more', async () => {
    const time = new ManualTime();
    const restoreTime = useTime(time);
    try {
      const missing = {
        slot: toSlot(152),
        blockhash: testHash(3),
        parentSlot: toSlot(151),
        parentBlockhash: testHash(2),
      };
      const filled = { ...missing, parentSlot: toSlot(150), parentBlockhash: testHash(0) };
      [indexed, above] = [
        [150, 150, 150, 200],
        [[missing], [filled], [filled]],
      ];
      let failure: unknown = null;
      const waitFor = async (running: Promise<unknown>) => {
        let ended = 0;
        void running.finally(() => ended++);
        for (let second = 0; ended === 0 && second < 500; second++) {
          for (let turn = 0; turn < 20; turn++) await Promise.resolve();
          time.advance(1_000);
        }
      };
      await waitFor(run('always', undefined, 60_000));
      expect(compared).toHaveLength(1);
      [indexed, above] = [[150], [[missing]]];
      await waitFor(run('always', undefined, 60_000).catch((error: unknown) => (failure = error)));
      expect(String(failure)).toMatch(/stands still at slot 150: a slot before 152 contradicts what is stored/);
      expect(problems.at(-1)).toContain('the index stands still at slot 150');
    } finally {
      restoreTime();
    }
  });

  it.each<[HistoryRecheck, HistoryFinding[], number]>([
    ['never', [LACKS], 0],
    ['if-incomplete', [], 0],
    ['if-incomplete', [LACKS], 1],
    ['always', [], 1],
  ])('is made again %s, after it found %j', async (recheck, before, times) => {
    [isChecked, stored] = [true, before];
    await run(recheck);
    expect(compared.length).toBe(times);
  });

  it('counts findings by reason in its metrics, also those of a comparison before', async () => {
    const metric = () => registry.getSingleMetricAsString('fresnel_history_findings');
    [isChecked, stored] = [true, [LACKS, LACKS_SPEND]];
    await run();
    expect(await metric()).toContain('{reason="spend-missing"} 1');
    found = [[LACKS, OTHER_LACKS]];
    await run('always');
    expect(await metric()).toContain('{reason="operations-missing"} 1');
    expect(await metric()).toContain('{reason="spend-missing"} 0');
  });

  it('counts only what two comparisons find', async () => {
    found = [
      [LACKS, LACKS_SPEND],
      [LACKS, OTHER_LACKS],
    ];
    await run();
    expect(saved).toEqual([[LACKS]]);
    expect(log.lines.filter(({ level }) => level === 'error')).toMatchObject([{ reason: LACKS.reason }]);
  });

  it('asks other sources until nothing is missing', async () => {
    [found, healed] = [
      [[LACKS, OTHER_LACKS], [LACKS, OTHER_LACKS], [LACKS], [LACKS], []],
      [true, true],
    ];
    await run();
    expect(asked).toEqual([[LACKS, OTHER_LACKS], [LACKS]]);
    expect(saved).toEqual([[LACKS, OTHER_LACKS], [LACKS], []]);
  });

  it('ends when the other sources have nothing', async () => {
    [found, healed] = [[[LACKS]], [true, false]];
    await run();
    expect([asked.length, saved]).toEqual([2, [[LACKS], [LACKS]]]);
  });

  it('ends after some rounds if the other sources always have something', async () => {
    [found, healed] = [[[LACKS]], [true]];
    await run();
    expect([asked.length, saved.length]).toEqual([7, 8]);
  });

  it('ends with what it has found if the other sources refuse', async () => {
    [found, healed] = [[[LACKS]], [new HistoryRefusedError('the key has expired')]];
    await run();
    expect([asked.length, saved]).toEqual([1, [[LACKS]]]);
    expect(log.lines).toContainEqual(expect.objectContaining({ level: 'error', reason: 'the key has expired' }));
  });

  it('ends in a command if the other sources contradict themselves for too long, and asks them again in a service', async () => {
    const time = new ManualTime();
    const restoreTime = useTime(time);
    try {
      for (const patienceMs of [60_000, Infinity]) {
        const stop = new AbortController();
        let ended = 0;
        [found, healed, asked] = [[[LACKS]], [new HistoryAnswerError('other slots than asked for')], []];
        const running = run('always', stop.signal, patienceMs).finally(() => ended++);
        for (let second = 0; ended === 0 && second < 200; second++) {
          for (let turn = 0; turn < 20; turn++) await Promise.resolve();
          time.advance(1_000);
        }
        expect(ended).toBe(patienceMs === Infinity ? 0 : 1);
        expect(asked.length).toBeGreaterThan(1);
        stop.abort();
        await running;
      }
    } finally {
      restoreTime();
    }
  });

  it('waits while the node or the database is away, and ends with other errors', async () => {
    found = [new AwayError('the node is away'), []];
    await run();
    expect(saved).toEqual([[]]);
    found = [new Error('a defect')];
    await expect(run()).rejects.toThrow('a defect');
  });

  describe('with a node that does not list the trees', () => {
    const [away, never] = [true, false].map((isRetryable) => new IncompleteTreesError('not listed', isRetryable));
    let time: ManualTime;
    let restoreTime: () => void;
    beforeEach(() => (restoreTime = useTime((time = new ManualTime()))));
    afterEach(() => {
      restoreTime();
    });

    it.each([away, never])('is repeated by a service until it does, and the reason is stored', async (error) => {
      found = [error, error, []];
      const running = run();
      while (saved.length === 0) {
        await Promise.resolve();
        time.advance(1_000);
      }
      await running;
      expect([problems, saved]).toEqual([['not listed', 'not listed'], [[]]]);
      const failures = await registry.getSingleMetricAsString('fresnel_history_failed_comparisons_total');
      expect(failures).toContain('fresnel_history_failed_comparisons_total 2');
      expect(log.lines.filter(({ level }) => level === 'warn')).toMatchObject([
        { reason: 'not listed' },
        { reason: 'not listed' },
      ]);
    });

    it('fails in a command: at once if the node never will, and else when patience ends', async () => {
      found = [never];
      await expect(run('always', undefined, 60_000)).rejects.toBe(never);
      expect([compared.length, problems]).toEqual([1, ['not listed']]);
      found = [away];
      let failure: unknown = null;
      const running = run('always', undefined, 60_000).catch((error: unknown) => (failure = error));
      while (failure === null) {
        await Promise.resolve();
        time.advance(1_000);
      }
      await running;
      expect(failure).toBe(away);
      expect(compared.length).toBeGreaterThan(1);
      expect(saved).toEqual([]);
    });
  });

  it('ends when its signal aborts', async () => {
    anchors = [null];
    await run('never', AbortSignal.abort());
    expect(compared).toEqual([]);
  });
});
