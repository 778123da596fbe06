import { BUS } from '@fresnel/adapters/bus';
import { InMemoryBusModule } from '@fresnel/adapters/bus/nest';
import { ChainModule } from '@fresnel/adapters/chain/nest';
import { LIVE_PROGRAMS, JsonCursor, parseBlock } from '@fresnel/domain/events';
import { toSlot } from '@fresnel/domain/primitives';
import { CONFIG, HealthChecks, SERVICE_CONFIG } from '@fresnel/platform';
import { PlatformModule } from '@fresnel/platform/nest';
import { useTime } from '@fresnel/platform/time';
import { linkBlocks } from '@fresnel/testing/chain';
import { eventually, ManualTime } from '@fresnel/testing/generic';
import { PlayedBlocks, RecordingBus, rejectOnAbort } from '@fresnel/testing/ingest';
import { Test, type TestingModule } from '@nestjs/testing';
import { NOTHING_PUBLISHED, type ResumePoint } from '../follow/resume-point';
import { FollowModule } from './follow.module';

class NewIndex implements ResumePoint {
  find() {
    return Promise.resolve(NOTHING_PUBLISHED);
  }
}

describe('the health of ingest', () => {
  let bus: RecordingBus;
  let module: TestingModule;
  let source: PlayedBlocks;
  beforeEach(async () => {
    const [{ slot, json }] = linkBlocks([1]);
    source = new PlayedBlocks([parseBlock(new JsonCursor(json), toSlot(slot))], rejectOnAbort);
    source.tip = { slot: toSlot(1), seenAt: new Date(0) };
    bus = new RecordingBus();
    module = await Test.createTestingModule({
      imports: [
        PlatformModule.register(SERVICE_CONFIG),
        FollowModule.registerAsync({
          imports: [ChainModule.register({ source, treeSource: null, trees: [] }), InMemoryBusModule.register({})],
          resumePoint: NewIndex,
          useFactory: () => ({ programs: LIVE_PROGRAMS, preloadedTrees: [], INGEST_MAX_LAG: 5, terminal: null }),
        }),
      ],
    })
      .overrideProvider(BUS)
      .useValue(bus)
      .overrideProvider(CONFIG)
      .useValue({ LOG_LEVEL: 'silent' })
      .compile();
  });
  afterEach(() => module.close());

  const faults = () => module.get(HealthChecks).findFaults();

  it('is good while ingest waits for consumers, although it reads no tip', async () => {
    jest.spyOn(bus, 'findLag').mockResolvedValue(6);
    await module.init();
    await eventually('ingest waits', async () => (await faults()).length === 0);
    expect(bus.slots).toEqual([]);
  });

  it('is that of a stuck process if its loop hangs for five minutes', async () => {
    const time = new ManualTime();
    const restoreTime = useTime(time);
    const publish = jest.spyOn(bus, 'publish').mockImplementation((_topic, _messages, signal) => rejectOnAbort(signal));
    await module.init();
    await eventually('the block is being published', () => publish.mock.calls.length > 0);
    const checks = module.get(HealthChecks);
    time.advance(300_000);
    expect(checks.findStuck()).toEqual([]);
    time.advance(1_000);
    expect(checks.findStuck()).toEqual(['The publication of blocks has not moved for 301 s']);
    restoreTime();
  });

  it('is bad if no tip was seen for a minute', async () => {
    await module.init();
    await eventually('the block is published', () => bus.slots.length === 1);
    expect(await faults()).toEqual(['No chain tip was seen in the last 60 s']);
    source.tip = { slot: toSlot(1), seenAt: new Date() };
    expect(await faults()).toEqual([]);
  });
});
