import { eventually, Opened, TcpLink } from '@fresnel/testing/generic';
import { startTestKafka, startTestRedis, type TestKafka, type TestRedis } from '@fresnel/testing/servers';
import { digestCleanRun, FresnelProcess, LiveLedger, type Environment, StackUnderTest } from '@fresnel/testing/stack';
import { Redis } from 'ioredis';

jest.setTimeout(600_000);

/** Blocks that are added at a time: enough for every partition. */
const BLOCKS = 40;
const PARTITIONS = 6;
const SOME_PARTITIONS = /"partitions":\[\d[^\]]*\],"msg":"partitions assigned"/;
const TAKEN_OVER = '"msg":"partition was claimed by another consumer"';

/** One more replica beside those of the stack. The test can pause and cut its connection to its store. */
class ExtraReplica {
  /** Only output from here on is matched. */
  private outputStart = 0;

  private constructor(
    readonly process: FresnelProcess,
    readonly link: TcpLink,
  ) {}

  static start(service: 'projector' | 'prover', link: TcpLink, env: Environment): ExtraReplica {
    const process = FresnelProcess.start([], { HEALTH_PORT: '0', LOG_LEVEL: 'debug', ...env }, service);
    return new ExtraReplica(process, link);
  }

  forgetOutput(): void {
    this.outputStart = this.process.output.length;
  }

  get newOutput(): string {
    return this.process.output.slice(this.outputStart);
  }

  waitForPartitions(): Promise<void> {
    return eventually('partitions are assigned', () => SOME_PARTITIONS.test(this.newOutput));
  }

  /** Stops the process, frozen or not. */
  async end(): Promise<void> {
    this.process.signal('SIGCONT');
    this.link.resume();
    await this.process.end('SIGTERM');
    await this.link.cut();
  }
}

describe('a process that was frozen for longer than the session timeout of its group', () => {
  const opened = new Opened();
  let ledger: LiveLedger;
  let kafka: TestKafka;
  let redis: TestRedis;
  let stack: StackUnderTest;
  let admin: Redis;
  let frozen: ExtraReplica | undefined;

  beforeAll(async () => {
    ledger = opened.add(await LiveLedger.open({ seed: 29, slots: 400, transactionsPerSlot: 1 }, BLOCKS));
    kafka = opened.add(await startTestKafka());
    redis = opened.add(await startTestRedis());
    admin = new Redis(redis.url);
    const env = {
      KAFKA_BROKERS: kafka.brokers.join(),
      REDIS_URL: redis.url,
      KAFKA_PARTITIONS: String(PARTITIONS),
    };
    const replicas = 'ingest=1,projector=1,prover=1,gateway=1';
    stack = opened.add(await StackUnderTest.start(ledger, { replicas, env }));
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
    const env = { KAFKA_BROKERS: kafka.brokers.join(), DATABASE_URL: link.url };
    frozen = ExtraReplica.start('projector', link, env);
    await frozen.waitForPartitions();
    return frozen;
  };
  const startProver = async () => {
    const link = await TcpLink.to(redis.url);
    const env = { KAFKA_BROKERS: kafka.brokers.join(), REDIS_URL: link.url, PROVER_PORT: '0' };
    frozen = ExtraReplica.start('prover', link, env);
    await frozen.waitForPartitions();
    return frozen;
  };

  /** Freezes a process when it sends data that match, and waits until other replicas have all partitions. */
  async function freezeAt(pattern: RegExp, { process, link }: ExtraReplica, group: string): Promise<void> {
    link.pauseAt(pattern);
    ledger.reveal(BLOCKS);
    await eventually('a connection is paused', () => link.pausedConnections > 0);
    const outputStart = stack.process.output.length;
    process.signal('SIGSTOP');
    const assigned = new RegExp(`"group":"${group}","topic":"[^"]*","partitions":\\[\\d(,\\d){${PARTITIONS - 1}}\\]`);
    await eventually('other replicas have all partitions', () =>
      assigned.test(stack.process.output.slice(outputStart)),
    );
    await stack.waitForTip();
  }

  /** Resumes the process, and forwards the data that were kept back. */
  function thaw({ process, link }: ExtraReplica): void {
    frozen?.forgetOutput();
    process.signal('SIGCONT');
    link.resume();
  }

  it('projector: is fenced before its transaction, logs that, and rejoins the group', async () => {
    const projector = await startProjector();
    await freezeAt(/START TRANSACTION/, projector, 'projector');
    const before = await stack.digest();
    thaw(projector);
    await eventually('it logs that another consumer claimed the partition', () =>
      projector.newOutput.includes(TAKEN_OVER),
    );
    await projector.waitForPartitions();
    expect(await stack.digest()).toBe(before);
    projector.forgetOutput();
    ledger.reveal(BLOCKS);
    await stack.waitForTip();
    await eventually('it persists slots again', () => projector.newOutput.includes('"msg":"slots persisted"'));
    expect(await stack.digest()).toBe(await digestCleanRun(ledger));
    expect(stack.restartCount).toBe(0);
  });

  it('projector: does not block other writers by an open transaction', async () => {
    const projector = await startProjector();
    await freezeAt(/COMMIT/, projector, 'projector');
    const before = await stack.digest();
    thaw(projector);
    await projector.waitForPartitions();
    expect(await stack.digest()).toBe(before);
    projector.forgetOutput();
    ledger.reveal(BLOCKS);
    await stack.waitForTip();
    await eventually('it persists slots again', () => projector.newOutput.includes('"msg":"slots persisted"'));
    expect(await stack.digest()).toBe(await digestCleanRun(ledger));
    expect(stack.restartCount).toBe(0);
  });

  it('prover: is fenced before its write, and rejoins the group', async () => {
    const prover = await startProver();
    // Matches the change of a tree, and not the claim of a partition.
    await freezeAt(/EVALSHA[^]*:state/i, prover, 'prover');
    expect(await stack.differences()).toEqual([]);
    const before = await readTrees(admin);
    const scripts = await countScripts(admin);
    prover.link.resume();
    await eventually('Redis has run the delayed write', async () => (await countScripts(admin)) > scripts);
    expect(await readTrees(admin)).toEqual(before);
    thaw(prover);
    await prover.waitForPartitions();
    expect(await readTrees(admin)).toEqual(before);
    ledger.reveal(BLOCKS);
    await stack.waitForTip();
    expect(await stack.differences()).toEqual([]);
    expect(stack.restartCount).toBe(0);
  });
});

/** Fields that a claim changes. All other fields change with writes only. */
const CLAIM_FIELDS = ['fence', 'epoch'];

/** Everything that Redis stores about trees, by key. */
async function readTrees(redis: Redis): Promise<Record<string, unknown>> {
  const keys = (await redis.keys('fresnel:trees:*')).sort();
  const contents = await Promise.all(
    keys.map(async (key) => {
      if ((await redis.type(key)) !== 'hash') return redis.dumpBuffer(key);
      const fields = Object.entries(await redis.hgetallBuffer(key));
      return fields.filter(([field]) => !CLAIM_FIELDS.includes(field)).sort(([a], [b]) => (a < b ? -1 : 1));
    }),
  );
  return Object.fromEntries(keys.map((key, at) => [key, contents[at]]));
}

async function countScripts(redis: Redis): Promise<number> {
  return Number(/cmdstat_evalsha:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1]);
}
