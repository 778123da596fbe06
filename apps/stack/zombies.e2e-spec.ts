import { byFaultForm, eventually, Opened, sendHttp, TcpLink } from '@fresnel/testing/generic';
import { startTestRedis, type TestRedis } from '@fresnel/testing/servers';
import { digestCleanRun, type Environment, FresnelProcess, LiveLedger, StackUnderTest } from '@fresnel/testing/stack';
import { Redis } from 'ioredis';

/** Number of blocks that are revealed at a time: some for each partition. */
const BLOCKS = 40;
const PARTITIONS = 6;
const SOME_PARTITIONS = /"partitions":\[\d[^\]]*\],"msg":"partitions assigned"/;
const FENCED = '"msg":"partition was claimed by another consumer"';

/** The simulation freezes every service at every operation, but has no locks of rows. */
const itLong = byFaultForm({ short: it.skip, long: it });

/** A service beside the stack's own, with a proxy before its store. */
class ServiceBehindProxy {
  /** Output before this index is ignored. */
  private outputStart = 0;

  private constructor(
    private readonly service: 'projector' | 'prover',
    readonly process: FresnelProcess,
    readonly link: TcpLink,
  ) {}

  static start(service: 'projector' | 'prover', link: TcpLink, env: Environment): ServiceBehindProxy {
    const process = FresnelProcess.start([], { ...env, HEALTH_PORT: '0', LOG_LEVEL: 'debug' }, service);
    return new ServiceBehindProxy(service, process, link);
  }

  ignoreOutputSoFar(): void {
    this.outputStart = this.process.output.length;
  }

  get newOutput(): string {
    return this.process.output.slice(this.outputStart);
  }

  waitUntilMember(): Promise<void> {
    return eventually('the service has partitions', () => SOME_PARTITIONS.test(this.newOutput));
  }

  /** How often it was fenced, by its metrics. */
  async countFencings(): Promise<number> {
    const [, port] = await this.process.waitFor(/"port":(\d+),"msg":"serving health and metrics"/);
    const { text } = await sendHttp(`http://127.0.0.1:${port}/metrics`, { method: 'GET', headers: {} });
    const [, count] = new RegExp(`^fresnel_${this.service}_fenced_total (\\d+)$`, 'm').exec(text) ?? [];
    return Number(count);
  }

  /** Resumes the service, and lets it send the data that the proxy kept back. */
  resume(): void {
    this.ignoreOutputSoFar();
    this.process.signal('SIGCONT');
    this.link.resume();
  }

  /** Ends the service, frozen or not. */
  async end(): Promise<void> {
    this.resume();
    await this.process.end('SIGTERM');
    await this.link.cut();
  }
}

describe('a service that is frozen for longer than its session timeout', () => {
  const opened = new Opened();
  let ledger: LiveLedger;
  let redis: TestRedis;
  let stack: StackUnderTest;
  let admin: Redis;
  let frozen: ServiceBehindProxy | undefined;

  beforeAll(async () => {
    ledger = opened.add(await LiveLedger.open({ seed: 29, slots: 400, transactionsPerSlot: 1 }, BLOCKS));
    redis = opened.add(await startTestRedis());
    admin = new Redis(redis.url);
    const env = { REDIS_URL: redis.url, KAFKA_PARTITIONS: String(PARTITIONS) };
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
    frozen = ServiceBehindProxy.start('projector', link, { ...stack.env, DATABASE_URL: link.url });
    await frozen.waitUntilMember();
    return frozen;
  };
  const startProver = async () => {
    const link = await TcpLink.to(redis.url);
    frozen = ServiceBehindProxy.start('prover', link, { ...stack.env, REDIS_URL: link.url, PROVER_PORT: '0' });
    await frozen.waitUntilMember();
    return frozen;
  };

  /** Freezes a service when it first sends matching data, and waits until the stack's own replica has taken over. */
  async function freezeAt(pattern: RegExp, { process, link }: ServiceBehindProxy, group: string): Promise<void> {
    link.pauseAt(pattern);
    ledger.reveal(BLOCKS);
    await eventually('the service sends matching data', () => link.pausedConnections > 0);
    const outputStart = stack.process.output.length;
    process.signal('SIGSTOP');
    const assigned = new RegExp(
      `"group":"[^"]*${group}","topic":"[^"]*","partitions":\\[\\d(,\\d){${PARTITIONS - 1}}\\]`,
    );
    await eventually('the other replica has all partitions', () =>
      assigned.test(stack.process.output.slice(outputStart)),
    );
    await stack.waitForTip();
  }

  /** Reveals blocks until a projector has stored one: the group may be balanced once more after it has joined. */
  function revealUntilStored(projector: ServiceBehindProxy): Promise<void> {
    return eventually('the projector stores slots', async () => {
      ledger.reveal(PARTITIONS);
      await stack.waitForTip();
      return projector.newOutput.includes('"msg":"slots persisted"');
    });
  }

  /** Expects that a projector that went on has stored nothing since, has rejoined the group, and stores what follows. */
  async function expectNothingStored(projector: ServiceBehindProxy, before: string): Promise<void> {
    await projector.waitUntilMember();
    expect(await stack.digest()).toBe(before);
    projector.ignoreOutputSoFar();
    await revealUntilStored(projector);
    expect(await stack.digest()).toBe(await digestCleanRun(ledger.revealed));
    expect(stack.exits()).toEqual([]);
  }

  /** `readTrees` when the stack's prover has applied the last block in each partition: no record follows. */
  async function readSettledTrees(): Promise<Record<string, unknown>> {
    const metricsUrl = `http://127.0.0.1:${stack.healthPorts().prover[0]}/metrics`;
    await eventually('each partition has the last block', async () => {
      const { text } = await sendHttp(metricsUrl, { method: 'GET', headers: {} });
      const slots = [...text.matchAll(/^fresnel_prover_slot\{partition="\d+"\} (\d+)$/gm)].map(([, slot]) =>
        Number(slot),
      );
      return slots.length === PARTITIONS && slots.every((slot) => slot === ledger.tip);
    });
    return readTrees(admin);
  }

  itLong(
    'projector: is fenced when it resumes before its transaction, stores nothing, and rejoins the group',
    async () => {
      const projector = await startProjector();
      await freezeAt(/START TRANSACTION/, projector, 'projector');
      const before = await stack.digest();
      projector.resume();
      await eventually('the projector logs that it is fenced', () => projector.newOutput.includes(FENCED));
      expect(await projector.countFencings()).toBeGreaterThan(0);
      await expectNothingStored(projector, before);
    },
  );

  it('projector: does not block the changed rows when it is frozen before COMMIT', async () => {
    const projector = await startProjector();
    await freezeAt(/COMMIT/, projector, 'projector');
    const before = await stack.digest();
    projector.resume();
    await expectNothingStored(projector, before);
  });

  itLong('prover: is fenced when it resumes before a commit, stores nothing, and rejoins the group', async () => {
    const prover = await startProver();
    // The commit of a tree, not the claim of a partition.
    await freezeAt(/EVALSHA[^]*:state/i, prover, 'prover');
    expect(await stack.differences()).toEqual([]);
    const before = await readSettledTrees();
    expect(Object.keys(before).length).toBeGreaterThan(0);
    const scripts = await countScripts(admin);
    prover.link.resume();
    await eventually('its late commit has reached Redis', async () => (await countScripts(admin)) > scripts);
    expect(await readTrees(admin)).toEqual(before);
    prover.resume();
    await prover.waitUntilMember();
    expect(await readTrees(admin)).toEqual(before);
    ledger.reveal(BLOCKS);
    await stack.waitForTip();
    expect(await stack.differences()).toEqual([]);
    expect(stack.exits()).toEqual([]);
  });
});

/** Everything that Redis stores about trees, by key. */
async function readTrees(redis: Redis): Promise<Record<string, unknown>> {
  const keys = (await redis.keys('*fresnel:trees:*')).sort();
  const contents = await Promise.all(
    keys.map(async (key) => {
      if ((await redis.type(key)) !== 'hash') return redis.dumpBuffer(key);
      return Object.entries(await redis.hgetallBuffer(key)).sort(([a], [b]) => (a < b ? -1 : 1));
    }),
  );
  return Object.fromEntries(keys.map((key, at) => [key, contents[at]]));
}

async function countScripts(redis: Redis): Promise<number> {
  return Number(/cmdstat_evalsha:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1]);
}
