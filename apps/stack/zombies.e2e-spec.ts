import { eventually, Opened, TcpLink } from '@fresnel/testing/generic';
import { startTestKafka, startTestRedis, type TestKafka, type TestRedis } from '@fresnel/testing/servers';
import { digestCleanRun, FresnelProcess, LiveLedger, type Settings, StackUnderTest } from '@fresnel/testing/stack';
import { Redis } from 'ioredis';

jest.setTimeout(600_000);

/** So many blocks come at a time: some for each partition. */
const BLOCKS = 40;
const PARTITIONS = 6;
const SOME_PARTITIONS = /"partitions":\[\d[^\]]*\],"msg":"partitions assigned"/;
const TAKEN_OVER = '"msg":"partition was claimed by another consumer"';

/** A service by itself beside the stack's, whose way to its store we hold in our hands. */
class Lonely {
  /** What was said before does not count. */
  private mark = 0;

  private constructor(
    readonly process: FresnelProcess,
    readonly link: TcpLink,
  ) {}

  static start(service: 'projector' | 'prover', link: TcpLink, settings: Settings): Lonely {
    const process = FresnelProcess.start([], { HEALTH_PORT: '0', LOG_LEVEL: 'debug', ...settings }, service);
    return new Lonely(process, link);
  }

  forget(): void {
    this.mark = this.process.said.length;
  }

  get saidSince(): string {
    return this.process.said.slice(this.mark);
  }

  untilMember(): Promise<void> {
    return eventually('it has partitions', () => SOME_PARTITIONS.test(this.saidSince));
  }

  /** Ends it, frozen or not. */
  async end(): Promise<void> {
    this.process.signal('SIGCONT');
    this.link.release();
    await this.process.end('SIGTERM');
    await this.link.cut();
  }
}

describe('a process that was frozen for longer than its group waits', () => {
  const opened = new Opened();
  let ledger: LiveLedger;
  let kafka: TestKafka;
  let redis: TestRedis;
  let stack: StackUnderTest;
  let admin: Redis;
  let frozen: Lonely | undefined;

  beforeAll(async () => {
    ledger = opened.add(await LiveLedger.open({ seed: 29, slots: 400, transactionsPerSlot: 1 }, BLOCKS));
    kafka = opened.add(await startTestKafka());
    redis = opened.add(await startTestRedis());
    admin = new Redis(redis.url);
    const settings = {
      KAFKA_BROKERS: kafka.brokers.join(),
      REDIS_URL: redis.url,
      KAFKA_PARTITIONS: String(PARTITIONS),
    };
    const replicas = 'ingest=1,projector=1,prover=1,gateway=1';
    stack = opened.add(await StackUnderTest.start(ledger, { replicas, settings }));
  });
  afterEach(async () => {
    await frozen?.end();
    frozen = undefined;
  });
  afterAll(async () => {
    admin.disconnect();
    await opened.close();
  });

  const startProjector = async () => {
    const link = await TcpLink.to(stack.database.url);
    const settings = { KAFKA_BROKERS: kafka.brokers.join(), DATABASE_URL: link.url };
    frozen = Lonely.start('projector', link, settings);
    await frozen.untilMember();
    return frozen;
  };
  const startProver = async () => {
    const link = await TcpLink.to(redis.url);
    const settings = { KAFKA_BROKERS: kafka.brokers.join(), REDIS_URL: link.url, PROVER_PORT: '0' };
    frozen = Lonely.start('prover', link, settings);
    await frozen.untilMember();
    return frozen;
  };

  /** Freezes a process at the first thing of the kind that it sends, and waits until another does all of its work. */
  async function freezeAt(pattern: RegExp, { process, link }: Lonely, group: string): Promise<void> {
    link.hold(pattern);
    ledger.reveal(BLOCKS);
    await eventually('it is in the middle of its work', () => link.heldConnections > 0);
    const mark = stack.process.said.length;
    process.signal('SIGSTOP');
    const assigned = new RegExp(`"group":"${group}","topic":"[^"]*","partitions":\\[\\d(,\\d){${PARTITIONS - 1}}\\]`);
    await eventually('another has taken over', () => assigned.test(stack.process.said.slice(mark)));
    await stack.waitForTip();
  }

  /** Lets it go on, with what it had sent. */
  function thaw({ process, link }: Lonely): void {
    frozen?.forget();
    process.signal('SIGCONT');
    link.release();
  }

  it('projector: writes nothing of what it was about to, says so, and is a member again', async () => {
    const projector = await startProjector();
    await freezeAt(/START TRANSACTION/, projector, 'projector');
    const before = await stack.digest();
    thaw(projector);
    await eventually('it says that its position is stale', () => projector.saidSince.includes(TAKEN_OVER));
    await projector.untilMember();
    expect(await stack.digest()).toBe(before);
    projector.forget();
    ledger.reveal(BLOCKS);
    await stack.waitForTip();
    await eventually('it writes again', () => projector.saidSince.includes('"msg":"slots persisted"'));
    expect(await stack.digest()).toBe(await digestCleanRun(ledger));
    expect(stack.endedProcesses).toBe(0);
  });

  it('projector: does not keep the rows that it had changed from those who come after it', async () => {
    const projector = await startProjector();
    await freezeAt(/COMMIT/, projector, 'projector');
    const before = await stack.digest();
    thaw(projector);
    await projector.untilMember();
    expect(await stack.digest()).toBe(before);
    projector.forget();
    ledger.reveal(BLOCKS);
    await stack.waitForTip();
    await eventually('it writes again', () => projector.saidSince.includes('"msg":"slots persisted"'));
    expect(await stack.digest()).toBe(await digestCleanRun(ledger));
    expect(stack.endedProcesses).toBe(0);
  });

  it('prover: writes nothing of what it was about to, and is a member again', async () => {
    const prover = await startProver();
    // A change of a tree; taking a partition was before.
    await freezeAt(/EVALSHA[^]*:state/i, prover, 'prover');
    expect(await stack.differences()).toEqual([]);
    const before = await readTrees(admin);
    const scripts = await countScripts(admin);
    prover.link.release();
    await eventually('its late write has come', async () => (await countScripts(admin)) > scripts);
    expect(await readTrees(admin)).toEqual(before);
    thaw(prover);
    await prover.untilMember();
    expect(await readTrees(admin)).toEqual(before);
    ledger.reveal(BLOCKS);
    await stack.waitForTip();
    expect(await stack.differences()).toEqual([]);
    expect(stack.endedProcesses).toBe(0);
  });
});

/** Who may write changes with every member; all else changes with what is written only. */
const FENCES = ['fence', 'epoch'];

/** Everything that lies there about trees, by key. */
async function readTrees(redis: Redis): Promise<Record<string, unknown>> {
  const keys = (await redis.keys('fresnel:trees:*')).sort();
  const contents = await Promise.all(
    keys.map(async (key) => {
      if ((await redis.type(key)) !== 'hash') return redis.dumpBuffer(key);
      const fields = Object.entries(await redis.hgetallBuffer(key));
      return fields.filter(([field]) => !FENCES.includes(field)).sort(([a], [b]) => (a < b ? -1 : 1));
    }),
  );
  return Object.fromEntries(keys.map((key, at) => [key, contents[at]]));
}

async function countScripts(redis: Redis): Promise<number> {
  return Number(/cmdstat_evalsha:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1]);
}
