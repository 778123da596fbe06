import { ConsumerHealth } from './kafka.consumer-health';

describe('the health of a consumer', () => {
  let now: number;
  let health: ConsumerHealth;
  beforeEach(() => {
    now = 0;
    health = new ConsumerHealth('projector', 10_000, () => now);
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
    now = 10_000;
    expect(health.findFaults()).toEqual([]);
    now = 12_000;
    expect(health.findFaults()).toEqual(['No contact with Kafka for 12 s']);
    health.recordContact();
    expect(health.findFaults()).toEqual([]);
  });

  it('reports a batch that hangs, and no batch that failed or is retried', async () => {
    let finish = (): void => undefined;
    const hanging = health.watch(3, () => new Promise((resolve) => (finish = resolve)));
    await expect(health.watch(4, () => Promise.reject(new Error('Postgres is away')))).rejects.toThrow('away');
    now = 299_000;
    expect(health.findStuck()).toEqual([]);
    now = 301_000;
    expect(health.findStuck()).toEqual(['A batch of projector in partition 3 is in progress for 301 s']);
    finish();
    await hanging;
    expect(health.findStuck()).toEqual([]);
  });
});
