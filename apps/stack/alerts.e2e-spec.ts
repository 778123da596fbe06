import { setTimeout as sleep } from 'node:timers/promises';
import { KafkaBus } from '@fresnel/adapters/bus';
import { SLOT_EVENTS, TREE_UPDATES } from '@fresnel/contracts/messages';
import { blockLinkOf } from '@fresnel/domain/chain';
import { toBase58, toHash, ZERO_HASH } from '@fresnel/domain/primitives';
import { type SlotEvents, type TreeUpdate } from '@fresnel/domain/state';
import { isAddressTree } from '@fresnel/domain/trees';
import { type LedgerOracle } from '@fresnel/ledger-generator';
import { createLogger } from '@fresnel/platform';
import { byFaultForm, eventually, Opened } from '@fresnel/testing/generic';
import { ProofHistory, readGeneratedSlots } from '@fresnel/testing/ledger';
import { compressRules, PrometheusServer, readAlertRules } from '@fresnel/testing/monitoring';
import { startTestRedis, type TestRedis } from '@fresnel/testing/servers';
import { callRpc, LiveLedger, readingCalls, StackUnderTest, UnreadableTrees } from '@fresnel/testing/stack';
import { Client } from 'pg';

const HISTORY = 40;
const PACE_MS = 200;
/** More slots and records than are usual here, and much fewer than in production. */
const THRESHOLDS = { FresnelIndexLagging: 30, FresnelTreesLagging: 10, FresnelConsumerLag: 10 };
/** Ingest waits only when the trees are so far behind that their alert fires. */
const INGEST_MAX_LAG = 60;
/** More than INGEST_MAX_LAG in each of the six partitions. */
const MANY_BLOCKS = 480;
/** One client may occupy a quarter of this. */
const MAX_REQUESTS_IN_FLIGHT = 40;
const REQUEST_TIMEOUT_MS = 3_000;
/** The alerts that each test has fire. */
const ALERTS = {
  withUnreadableTrees: ['FresnelDeadLetters', 'FresnelIgnoredSlots', 'FresnelTipStale'],
  withoutRedis: ['FresnelRateLimiterFallback', 'FresnelGatewayErrors', 'FresnelTreesLagging'],
  whileTableIsLocked: ['FresnelGatewaySlow', 'FresnelGatewaySheds'],
  whileIndexedSlotIsLocked: ['FresnelIndexLagging'],
  whileProjectorsAreFrozen: ['FresnelTargetMissing', 'FresnelConsumerLag', 'FresnelIngestWaiting'],
  afterKills: ['FresnelRestarts'],
  afterContradiction: ['FresnelTreeRefused'],
};
/** They need other exporters, a cluster that reverts finalized blocks, a history source or subscribers (docs/runbooks/README.md). */
const NOT_FIRED = [
  ...['FresnelHistoryIncomplete', 'FresnelHistoryNotCompared', 'FresnelFinalFork', 'FresnelPushStalled'],
  ...['FresnelRedisMemory', 'FresnelDiskFull'],
];

/** Each takes about half a minute: `npm run test:faults` runs them. `alerts.int-spec.ts` evaluates the rules on made-up series. */
const describeLong = byFaultForm({ short: describe.skip, long: describe });

describeLong('a Prometheus that scrapes the stack fires alerts', () => {
  const opened = new Opened();
  const history = new ProofHistory();
  let ledger: LiveLedger;
  let trees: UnreadableTrees;
  let redis: TestRedis;
  let stack: StackUnderTest;
  let prometheus: PrometheusServer;

  beforeAll(async () => {
    const record = (oracle: LedgerOracle) => {
      history.record(oracle);
    };
    ledger = opened.add(await LiveLedger.open({ seed: 61, slots: 3_000, transactionsPerSlot: 1 }, HISTORY, record));
    trees = new UnreadableTrees(ledger, ({ type }) => type === 'stateV1' || type === 'stateV2');
    redis = opened.add(await startTestRedis());
    const env = {
      ...trees.env,
      REDIS_URL: redis.url,
      RATE_LIMIT_ENABLED: 'true',
      RATE_LIMIT_POINTS: '1000000',
      GATEWAY_MAX_REQUESTS_IN_FLIGHT: String(MAX_REQUESTS_IN_FLIGHT),
      GATEWAY_REQUEST_TIMEOUT_MS: String(REQUEST_TIMEOUT_MS),
      INGEST_MAX_LAG: String(INGEST_MAX_LAG),
    };
    stack = opened.add(
      await StackUnderTest.start(ledger, { env, replicas: 'ingest=2,projector=3,prover=2,gateway=2' }),
    );
    const processes = Object.entries(stack.healthPorts()).flatMap(([service, ports]) =>
      ports.map((port) => ({ service, port })),
    );
    prometheus = opened.add(await PrometheusServer.start(processes, compressRules(readAlertRules(), THRESHOLDS)));
  });
  afterAll(() => opened.close());

  async function callEveryMethod(): Promise<void> {
    const proofs = { method: 'getMultipleNewAddressProofsV2', params: history.questions };
    for (const call of [...readingCalls(ledger.oracle), proofs]) await callRpc(stack.url, call);
  }

  /** Causes a condition until alerts fire, and ends it. @param cause is repeated */
  async function expectFiring(
    names: readonly string[],
    cause: () => Promise<unknown> = () => sleep(PACE_MS),
  ): Promise<void> {
    let isFiring = false;
    const firing = prometheus.waitUntilFiring(...names).finally(() => (isFiring = true));
    firing.catch(() => undefined);
    while (!isFiring) await cause();
    await firing;
  }

  /** Adds a block and calls every method, so that all is in order. */
  async function proceed(): Promise<void> {
    ledger.reveal(1);
    await callEveryMethod();
    await sleep(PACE_MS);
  }

  /** Waits until alerts do not fire, while the chain proceeds. */
  async function expectQuiet(...names: readonly string[]): Promise<void> {
    let isQuiet = false;
    const quiet = prometheus.waitUntilQuiet(...names).finally(() => (isQuiet = true));
    quiet.catch(() => undefined);
    while (!isQuiet) await proceed();
    await quiet;
  }

  const signal = (service: string, name: NodeJS.Signals) => {
    for (const replica of stack.replicas()) if (replica.service === service) process.kill(replica.pid, name);
  };

  /** Runs a statement in a transaction that stays open until `act` has ended. */
  async function whileLocked(statement: string, act: () => Promise<void>): Promise<void> {
    const client = new Client({ connectionString: stack.database.url });
    await client.connect();
    try {
      await client.query('BEGIN');
      await client.query(statement);
      await act();
    } finally {
      await client.end();
    }
  }

  /** Publishes what no ingest would publish. */
  async function publish(act: (bus: KafkaBus, never: AbortSignal) => Promise<void>): Promise<void> {
    const { KAFKA_BROKERS: brokers, KAFKA_PREFIX: prefix } = stack.env;
    const config = { brokers: brokers.split(','), clientId: 'tests', prefix };
    const bus = new KafkaBus({ config, logger: createLogger('silent') });
    await act(bus, new AbortController().signal);
    await bus.close();
  }
  const lastSlot = (): SlotEvents => readGeneratedSlots(ledger.revealed.slice(-1))[0];

  it('on dead letters, on a slot that contradicts a stored one, and on a chain that stands still', async () => {
    const contradicting = { ...lastSlot(), isFirst: false, blockhash: toHash(Buffer.alloc(32, 7)) };
    await publish((bus, never) =>
      bus.publish(SLOT_EVENTS, [{ kind: 'slot', events: contradicting, isOfRange: false }], never),
    );
    await expectFiring(ALERTS.withUnreadableTrees);
  });

  describe('once trees can be read', () => {
    beforeAll(() => {
      trees.repair();
    });

    it('without Redis: limits in memory, failing calls, and trees behind ingest', async () => {
      await expectQuiet(...ALERTS.withoutRedis);
      await redis.stop();
      try {
        await expectFiring(ALERTS.withoutRedis, proceed);
      } finally {
        await redis.restart();
      }
    });

    it('while a table is locked: slow calls, and shed requests', async () => {
      const names = ALERTS.whileTableIsLocked;
      const call = { method: 'getCompressedAccount', params: { hash: ledger.oracle.accounts()[0] } };
      const callOften = () =>
        Promise.all(Array.from({ length: MAX_REQUESTS_IN_FLIGHT }, () => callRpc(stack.url, call)));
      await expectQuiet(...names);
      await whileLocked('LOCK TABLE accounts IN ACCESS EXCLUSIVE MODE', () => expectFiring(names, callOften));
    });

    it('while the indexed slot is locked: an index behind the chain', async () => {
      const names = ALERTS.whileIndexedSlotIsLocked;
      await expectQuiet(...names);
      await whileLocked('SELECT FROM indexer_state FOR UPDATE', () => expectFiring(names, proceed));
    });

    it('while projectors are frozen: missing metrics, consumers behind, and an ingest that waits for them', async () => {
      await expectQuiet(...ALERTS.whileProjectorsAreFrozen);
      signal('projector', 'SIGSTOP');
      try {
        ledger.reveal(MANY_BLOCKS);
        await expectFiring(ALERTS.whileProjectorsAreFrozen);
      } finally {
        signal('projector', 'SIGCONT');
      }
    });

    it('after all projectors were killed: restarts', async () => {
      await stack.waitForTip();
      await expectQuiet(...ALERTS.afterKills);
      signal('projector', 'SIGKILL');
      await expectFiring(ALERTS.afterKills, proceed);
    });

    it('after an update that contradicts a tree: a refused tree', async () => {
      await expectQuiet(...ALERTS.afterContradiction);
      await stack.waitForTip();
      await publish(async (bus, never) =>
        bus.publish(
          TREE_UPDATES,
          [
            {
              kind: 'update',
              update: await contradictTree(),
              previousChange: null,
              silentBlocks: [],
              isRepublished: false,
            },
          ],
          never,
        ),
      );
      await expectFiring(ALERTS.afterContradiction);
    });
  });

  /** An update by the last block: the next batch of a tree, at a leaf index that it cannot have. An earlier batch would be a repetition. */
  async function contradictTree(): Promise<TreeUpdate> {
    const last = lastSlot();
    await eventually('provers have the last block in each partition', async () => {
      const [slot] = await prometheus.query('min(max by (partition) (fresnel_prover_slot))');
      return Number(slot.value[1]) === last.slot;
    });
    const tree = last.trees.find(({ type }) => type === 'addressV2');
    if (!tree || !isAddressTree(tree)) throw new Error('the ledger has no address tree');
    const [seq] = await prometheus.query(`max(fresnel_prover_tree_seq{tree="${toBase58(tree.tree)}"})`);
    const change = {
      kind: 'address-batch' as const,
      seq: BigInt(seq.value[1]) + 1n,
      oldNextIndex: 1_000_000n,
      newNextIndex: 1_000_001n,
      newRoot: ZERO_HASH,
    };
    return { ...blockLinkOf(last), tree, changes: [change] };
  }
});

it('every alert is tested, apart from those that need another exporter', () => {
  const all = readAlertRules().groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
  const tested = Object.values(ALERTS).flat();
  expect(all.filter((alert) => !tested.includes(alert))).toEqual(NOT_FIRED);
});
