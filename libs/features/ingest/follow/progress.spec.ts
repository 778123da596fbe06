import { useTime } from '@fresnel/platform/time';
import { captureLog, ManualTime } from '@fresnel/testing/generic';
import { Progress } from './progress';

const dense = (slot: number) => ({ slot, isHistory: false, transactions: 1 });
const history = (slot: number, transactions: number) => ({ slot, isHistory: true, transactions });
const ERASE = '\r\x1b[K';

describe('Progress', () => {
  let time: ManualTime;
  let restoreTime: () => void;
  let written: string[];
  let log: ReturnType<typeof captureLog>;
  beforeEach(() => {
    time = new ManualTime(5_000);
    restoreTime = useTime(time);
    written = [];
    log = captureLog();
  });
  afterEach(() => {
    restoreTime();
  });

  function create(form: 'terminal' | 'log', intervalMs = 1_000): Progress {
    const terminal = { write: (text: string) => written.push(text) > 0 } as NodeJS.WriteStream;
    return new Progress({ terminal: form === 'terminal' ? terminal : null, intervalMs }, log.logger);
  }

  /** Advances slot by slot, with a clock step before each. */
  function advance(
    progress: Progress,
    { from, to, tip, stepMs }: Record<'from' | 'to' | 'tip' | 'stepMs', number>,
  ): void {
    for (let slot = from; slot <= to; slot++) {
      time.advance(stepMs);
      progress.advance(dense(slot), tip);
    }
  }

  it('reports nothing while ingest is close to the tip', () => {
    const progress = create('log', 0);
    for (let slot = 100; slot < 200; slot++) {
      time.advance(10_000);
      progress.advance(dense(slot), slot + 49 - (slot % 50));
    }
    expect(log.lines).toEqual([]);
  });

  it('logs slot, speed and remaining time at each interval', () => {
    const progress = create('log');
    advance(progress, { from: 1000, to: 1250, tip: 2000, stepMs: 10 });
    expect(log.lines).toEqual([
      { level: 'info', slot: 1100, slotsPerSecond: 100, slotsToGo: 900, etaSeconds: 9, msg: 'catching up' },
      { level: 'info', slot: 1200, slotsPerSecond: 100, slotsToGo: 800, etaSeconds: 8, msg: 'catching up' },
    ]);
    expect(written).toEqual([]);
  });

  it('rewrites one line of a terminal', () => {
    const progress = create('terminal', 200);
    advance(progress, { from: 1000, to: 1045, tip: 2000, stepMs: 10 });
    expect(written).toEqual([
      `${ERASE}catching up: slot 1020, 100 slots/s, 980 to go, 10 s left`,
      `${ERASE}catching up: slot 1040, 100 slots/s, 960 to go, 10 s left`,
    ]);
    expect(log.lines).toEqual([]);
  });

  it.each([
    [100, '10 s'],
    [581, '59 s'],
    [600, '1 min 0 s'],
    [9_990, '16 min 39 s'],
    [36_000, '1 h 0 min'],
    [1_000_000, '27 h 46 min'],
  ])('shows the remaining time of %d slots at ten slots per second', (toGo, left) => {
    const progress = create('terminal');
    progress.advance(dense(1000), 9_999_999);
    time.advance(1_000);
    progress.advance(dense(1010), 1010 + toGo);
    expect(written).toEqual([`${ERASE}catching up: slot 1010, 10 slots/s, ${toGo} to go, ${left} left`]);
  });

  it('counts skipped slots as done', () => {
    const progress = create('log');
    progress.advance(dense(1000), 5000);
    time.advance(1_000);
    progress.advance(dense(3000), 5000);
    expect(log.lines).toMatchObject([{ slotsPerSecond: 2000, slotsToGo: 2000, etaSeconds: 1 }]);
  });

  it.each(['terminal', 'log'] as const)('shows no remaining time without progress: %s', (form) => {
    const progress = create(form);
    progress.advance(dense(1000), 5000);
    time.advance(1_000);
    progress.advance(dense(1000), 5000);
    expect(form === 'log' ? log.lines : written).toEqual([
      form === 'log'
        ? { level: 'info', slot: 1000, slotsPerSecond: 0, slotsToGo: 4000, etaSeconds: null, msg: 'catching up' }
        : `${ERASE}catching up: slot 1000, 0 slots/s, 4000 to go, unknown left`,
    ]);
  });

  it('logs once that it has caught up, and clears the line', () => {
    const progress = create('terminal', 60_000);
    advance(progress, { from: 1000, to: 1100, tip: 1100, stepMs: 33 });
    advance(progress, { from: 1101, to: 1120, tip: 1110, stepMs: 33 });
    expect(written).toEqual([ERASE]);
    expect(log.lines).toEqual([
      { level: 'info', slot: 1100, blocks: 100, seconds: 3.3, msg: 'caught up with the chain' },
    ]);
  });

  it('restarts when ingest falls behind again', () => {
    const progress = create('log');
    advance(progress, { from: 1000, to: 1100, tip: 1100, stepMs: 1 });
    advance(progress, { from: 1101, to: 1102, tip: 1300, stepMs: 60_000 });
    advance(progress, { from: 1103, to: 1300, tip: 1300, stepMs: 1 });
    expect(log.lines).toMatchObject([
      { slot: 1100, blocks: 100, seconds: 0.1 },
      { slot: 1102, slotsToGo: 198, etaSeconds: 11_880 },
      { slot: 1300, blocks: 199, seconds: 60.2 },
    ]);
  });

  it('of history counts transactions, and measures the blocks after it anew', () => {
    const progress = create('log');
    progress.advance(history(1_000, 0), 9_000_000);
    time.advance(1_000);
    progress.advance(history(2_001_000, 700), 9_000_000);
    time.advance(1_000);
    progress.advance(history(4_001_000, 100), 9_000_000);
    progress.advance(history(8_999_000, 10), 9_000_000);
    progress.advance(dense(8_999_001), 9_000_000);
    time.advance(1_000);
    progress.advance(dense(8_999_101), 9_000_000);
    const reading = { level: 'info', msg: 'reading history' };
    expect(log.lines).toEqual([
      {
        ...{ ...reading, slot: 2_001_000, slotsPerSecond: 2_000_000, slotsToGo: 6_999_000, etaSeconds: 4 },
        ...{ transactions: 700, transactionsPerSecond: 700 },
      },
      {
        ...{ ...reading, slot: 4_001_000, slotsPerSecond: 2_000_000, slotsToGo: 4_999_000, etaSeconds: 3 },
        ...{ transactions: 800, transactionsPerSecond: 400 },
      },
      { level: 'info', slot: 8_999_000, transactions: 810, seconds: 2, msg: 'history is read' },
      { level: 'info', slot: 8_999_101, slotsPerSecond: 100, slotsToGo: 899, etaSeconds: 9, msg: 'catching up' },
    ]);
  });

  it('of history is one line of a terminal', () => {
    const progress = create('terminal', 200);
    progress.advance(history(1_000, 0), 9_000_000);
    time.advance(500);
    progress.advance(history(1_001_000, 300), 9_000_000);
    expect(written).toEqual([
      `${ERASE}reading history: slot 1001000, 2000000 slots/s, 7999000 to go, 4 s left, 300 transactions, 600/s`,
    ]);
  });
});
