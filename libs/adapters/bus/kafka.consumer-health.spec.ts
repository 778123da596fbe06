import { useTime } from '@fresnel/platform/time';
import { ManualTime } from '@fresnel/testing/generic';
import { ConsumerHealth } from './kafka.consumer-health';

describe('the health of a consumer', () => {
  let time: ManualTime;
  let restoreTime: () => void;
  let health: ConsumerHealth;
  beforeEach(() => {
    time = new ManualTime();
    restoreTime = useTime(time);
    health = new ConsumerHealth('projector', 10_000);
  });
  afterEach(() => {
    restoreTime();
  });

  it('is bad until it is a member of its group, and after it has lost the broker', () => {
    expect(health.findFaults()).toEqual(['Not a member of the consumer group projector']);
    health.recordContact();
    expect(health.findFaults()).toEqual([]);
    health.recordLoss();
    expect(health.findFaults()).toEqual(['Not a member of the consumer group projector']);
  });

  it('is bad while the broker has not answered for the time of a session', () => {
    health.recordContact();
    time.advance(10_000);
    expect(health.findFaults()).toEqual([]);
    time.advance(2_000);
    expect(health.findFaults()).toEqual(['No contact with Kafka for 12 s']);
    health.recordContact();
    expect(health.findFaults()).toEqual([]);
  });

  it.each(['claim', 'batch'] as const)(
    'reports a %s that hangs, and none that failed or is retried',
    async (attempt) => {
      let finish = (): void => undefined;
      const hanging = health.watch(attempt, 3, () => new Promise<void>((resolve) => (finish = resolve)));
      const failing = health.watch(attempt, 4, () => Promise.reject(new Error('Postgres is away')));
      await expect(failing).rejects.toThrow('away');
      time.advance(299_000);
      expect(health.findStuck()).toEqual([]);
      time.advance(2_000);
      expect(health.findStuck()).toEqual([`A ${attempt} of projector in partition 3 has not moved for 301 s`]);
      finish();
      await hanging;
      expect(health.findStuck()).toEqual([]);
    },
  );
});
