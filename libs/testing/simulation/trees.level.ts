import { isDeepStrictEqual } from 'node:util';
import { StoreUnavailableError } from '@fresnel/adapters/store-schema';
import { InMemoryTreeStore, RedisProofStore, RedisTreeStore, type TreeLog } from '@fresnel/adapters/tree-store';
import { PROVER_GROUP, TREE_UPDATES, type TreeUpdatesMessage } from '@fresnel/contracts/messages';
import { keyOf, messageOf } from '@fresnel/domain/primitives';
import { createProverMetrics, ProverService } from '@fresnel/features/prover';
import { createLogger, Registry } from '@fresnel/platform';
import { sleep } from '@fresnel/platform/time';
import { range } from '@fresnel/testing/chain';
import { contentsOfTrees, contentsWithoutForks, TestProver } from '@fresnel/testing/prover';
import { ForkedTrees, invalidProofs, sha256, testAddress, testAddressTree, treeHasherOf } from '@fresnel/testing/trees';
import { type Redis } from 'ioredis';
import { FailingJournal, GatedJournal, type JournalCall } from './gated-journal';
import { GatedRedis, type OpenRedis, openRedis } from './gated-redis';
import { type Level, type World } from './run-level';
import { type OperationFaults } from './operation';
import { type Fault, type Scheduler } from './scheduler';
import { SimulatedBroker } from './simulated-broker';
import { SimulatedBus } from './simulated-bus';
import { SimulatedProcesses } from './simulated-processes';

const TREES = [testAddressTree('addressV1'), testAddressTree('addressV2')];
const PROCESSES = ['prover A', 'prover B'];
const FETCHED = [1, 2, 4, 9];
const RESTART_MS = 500;
/** Entries that a failover of the journal can lose. */
const KEPT_STATES = 8;
/** Even, so that their chains have forks. */
const SEEDS_PER_OTHER_LOG = 6;
const LOG: TreeLog = { topic: TREE_UPDATES.name, generation: 1 };
/** As after a change of the prefix of topics, while provers of the log before still run. */
const OTHER_LOG: TreeLog = { topic: `other.${TREE_UPDATES.name}`, generation: 1 };
const SILENT = createLogger('silent');

const JOURNAL_FAULTS: OperationFaults = {
  ...{ lostReply: 0.014, notSent: 0.014, late: 0.014 },
  error: () => new StoreUnavailableError('the connection was lost'),
};

/** The records of two trees, and what they lead to. */
interface Plan {
  log: readonly TreeUpdatesMessage[];
  /** The same blocks without forks. */
  otherLog: readonly TreeUpdatesMessage[];
  expected: unknown;
  /** The roots of each tree after each block; null with forks. */
  roots: ReadonlyMap<string, readonly { slot: number; root: string }[]> | null;
}

/** Two provers of one group, a real Redis, and the twin of the journal. */
class TreesLevel implements Level {
  readonly name = 'the trees of two provers';
  readonly steps = 500;
  private readonly plans = new Map<boolean, Promise<Plan>>();
  private server: OpenRedis | null = null;

  async open(): Promise<void> {
    this.server = await openRedis();
  }

  async close(): Promise<void> {
    await this.server?.close();
  }

  /** Half of the chains have forks. Some of them have a prover that follows another log. */
  async createWorld(scheduler: Scheduler, seed: number): Promise<World> {
    if (!this.server) throw new Error('the level is not open');
    const { redis } = this.server;
    const hasForks = seed % 2 === 0;
    const plan = this.plans.get(hasForks) ?? createPlan(hasForks);
    this.plans.set(hasForks, plan);
    await redis.flushall();
    return new TreesWorld(scheduler, redis, await plan, seed % SEEDS_PER_OTHER_LOG === 0);
  }
}

export const TREES_LEVEL: Level = new TreesLevel();

class TreesWorld implements World {
  readonly faults: readonly Fault[];
  private readonly journal = new FailingJournal(LOG, KEPT_STATES);
  private readonly broker = new SimulatedBroker(() => 1);
  private readonly reader: RedisProofStore;
  private readonly processes: SimulatedProcesses;
  private readonly gatedRedis: GatedRedis;
  private failure: string | null = null;
  private hasPersisted = false;

  constructor(
    private readonly scheduler: Scheduler,
    private readonly redis: Redis,
    private readonly plan: Plan,
    hasOtherLog: boolean,
  ) {
    this.reader = new RedisProofStore(redis, sha256);
    this.broker.append(TREE_UPDATES, plan.log, undefined);
    this.gatedRedis = new GatedRedis(scheduler, redis);
    const run = (_: string, actor: string, signal: AbortSignal) => this.runProver(actor, signal);
    this.processes = new SimulatedProcesses(scheduler, this.broker, PROCESSES, run);
    this.faults = this.createFaults();
    this.processes.startAll();
    if (hasOtherLog) this.startOnOtherLog();
  }

  async check(): Promise<string | null> {
    if (this.failure || !(this.hasPersisted || this.gatedRedis.hasChanged)) return this.failure;
    this.hasPersisted = false;
    this.gatedRedis.hasChanged = false;
    return this.checkTrees().catch(messageOf);
  }

  private async checkTrees(): Promise<string | null> {
    for (const { tree, type } of TREES) {
      const gap = await this.journal.findGap(tree);
      if (gap) return gap;
      const proofs = await this.reader.readProofs(
        tree,
        range(0, 9).map((at) => testAddress(at * 3)),
      );
      if (!proofs) continue;
      if (proofs.head.quarantineReason) return `${type} is quarantined: ${proofs.head.quarantineReason}`;
      if (invalidProofs(proofs).length > 0) return `${type} has invalid proofs at slot ${proofs.slot}`;
      const root = proofs.head.root.toString('hex');
      const known = this.plan.roots?.get(keyOf(tree))?.findLast((other) => other.root === root);
      // Between two blocks of a batch, a tree has another root.
      if (known && known.slot < proofs.slot) return `${type} has the root of slot ${known.slot} at slot ${proofs.slot}`;
    }
    return null;
  }

  heal(): void {
    this.gatedRedis.forgetDumps();
  }

  /** At the end, Redis and what it is loaded from have the contents of a run without faults. */
  async findDifference(): Promise<string | null> {
    const [lag] = this.broker.lagsOf(PROVER_GROUP, TREE_UPDATES.name);
    if (lag > 0) return `${lag} records are not applied`;
    const { expected } = this.plan;
    const own = await this.journal.readPartition(0, 1);
    const store = new RedisTreeStore(this.redis, sha256, {}, this.journal);
    if (own.offset !== BigInt(this.plan.log.length)) return `the journal is at ${own.offset}`;
    const found = await contentsOfTrees(store);
    if (!isDeepStrictEqual(found, expected)) return 'the contents of Redis differ';
    const slot = await store.findSlot();
    if (slot !== own.block?.slot) return `the mark is at slot ${slot}, and the journal at ${own.block?.slot}`;
    await this.redis.flushall();
    await store.claimPartition(0, 1);
    return isDeepStrictEqual(await contentsOfTrees(store), expected) ? null : 'the contents of the journal differ';
  }

  close(): Promise<void> {
    this.processes.close();
    return Promise.resolve();
  }

  /** No prover ends by itself. */
  private async runProver(actor: string, signal: AbortSignal): Promise<void> {
    await this.createProver(actor)
      .run(signal)
      .catch((error: unknown) => {
        this.failure ??= `${actor} ends: ${messageOf(error)}`;
      });
  }

  /** Starts a prover again and again that has to be refused. */
  private startOnOtherLog(): void {
    const broker = new SimulatedBroker(() => 1);
    broker.append(TREE_UPDATES, this.plan.otherLog, undefined);
    const { signal } = this.processes;
    const run = async (): Promise<void> => {
      const prover = this.createProver('other prover', broker, OTHER_LOG);
      const reason = await prover.run(signal).then(() => 'ended', messageOf);
      await sleep(RESTART_MS);
      if (!this.scheduler.isHealed && !signal.aborted) return run();
      this.scheduler.trace.push(`other prover exits: ${reason}`);
    };
    this.scheduler.spawn('other prover', () => void run());
  }

  private createProver(actor: string, broker = this.broker, log = LOG): ProverService {
    const { scheduler } = this;
    const callJournal: JournalCall = (name, execute) => {
      const run = () => {
        this.hasPersisted ||= name === 'persist';
        return execute();
      };
      return scheduler.operation('journal', name, run, JOURNAL_FAULTS);
    };
    const journal = new GatedJournal(this.journal, callJournal, log);
    const store = new RedisTreeStore(this.gatedRedis.commands, sha256, {}, journal);
    const fetchSize = (max: number) => Math.min(scheduler.random.pick(FETCHED), max);
    const bus = new SimulatedBus(actor, broker, (name, execute) => scheduler.operation('broker', name, execute), {
      fetchSize,
      pauseMs: 200,
    });
    const options = { ACCEPT_TREE_GAPS: false, PROVER_MAX_WAIT_MS: 0, PROVER_MAX_WAIT_SLOTS: 100 };
    return new ProverService(bus, store, treeHasherOf(sha256), options, SILENT, createProverMetrics(new Registry()));
  }

  private createFaults(): Fault[] {
    const { scheduler, journal, broker } = this;
    const rebalance = () =>
      broker.reassign(PROVER_GROUP, TREE_UPDATES.name, 0, (members) => scheduler.pickForFault(members));
    const [freeze, resume, kill] = this.processes.faults({ freeze: 0.02, resume: 0.02, kill: 0.004 });
    return [
      { name: 'rebalance', probability: 0.014, happen: rebalance },
      freeze,
      { name: 'freeze and rebalance', probability: 0.014, happen: () => this.freezeOwner(rebalance) },
      resume,
      kill,
      ...this.gatedRedis.faults(0.006),
      {
        name: 'failover of the journal',
        probability: 0.006,
        happen: () => {
          if (journal.losable === 0) return null;
          const lost = scheduler.pickForFault(range(1, Math.min(3, journal.losable)));
          journal.lose(lost);
          return `${lost} entries are lost`;
        },
      },
    ];
  }

  private freezeOwner(rebalance: () => string | null): string | null {
    const owner = PROCESSES.map((name) => this.processes.actorOf(name)).find(
      (actor) => this.broker.partitionsOfProcess(PROVER_GROUP, TREE_UPDATES.name, actor).length > 0,
    );
    if (!owner) return null;
    this.scheduler.actors.set(owner, 'frozen');
    return `${owner}, ${rebalance() ?? 'nobody'} follows`;
  }
}

async function createPlan(hasForks: boolean): Promise<Plan> {
  const chain = createChain(hasForks);
  const expected = await contentsWithoutForks(chain, await InMemoryTreeStore.open(sha256, null));
  const log = chain.published;
  return { log, otherLog: chain.canonical, expected, roots: hasForks ? null : await listRoots(log) };
}

function createChain(hasForks: boolean): ForkedTrees {
  const blocks = (count: number) => range(1, count).map(() => ({ skipped: 1, inserted: 2, queued: 3, batched: 4 }));
  if (!hasForks) return new ForkedTrees().extend(blocks(14));
  const chain = new ForkedTrees().extend(blocks(4)).appendOrphaned(blocks(3)).extend(blocks(5));
  return chain.appendOrphaned(blocks(2)).extend(blocks(4));
}

async function listRoots(log: readonly TreeUpdatesMessage[]): Promise<NonNullable<Plan['roots']>> {
  const roots = new Map<string, { slot: number; root: string }[]>(TREES.map(({ tree }) => [keyOf(tree), []]));
  const store = await InMemoryTreeStore.open(sha256, null);
  const prover = new TestProver(store, sha256);
  for (const message of log) {
    await prover.apply([message]);
    if (message.kind !== 'watermark') continue;
    for (const { tree } of TREES) {
      const { head } = await store.openTree(tree);
      if (head) roots.get(keyOf(tree))?.push({ slot: message.slot, root: head.root.toString('hex') });
    }
  }
  await prover.end();
  return roots;
}
