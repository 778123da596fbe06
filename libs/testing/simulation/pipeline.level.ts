import { connect, type DatabaseOptions, poolOf } from '@fresnel/adapters/store-schema';
import { ProjectionStore } from '@fresnel/adapters/store-write';
import {
  PostgresTreeJournal,
  PostgresTreeReads,
  RedisProofStore,
  RedisTreeStore,
  toTreeLog,
} from '@fresnel/adapters/tree-store';
import { PROJECTOR_GROUP, PROVER_GROUP, SLOT_EVENTS, TREE_UPDATES } from '@fresnel/contracts/messages';
import { type BlockRef, isSameBlock } from '@fresnel/domain/chain';
import { toHash, toSlot } from '@fresnel/domain/primitives';
import { PostgresStoredBlocks } from '@fresnel/features/ingest';
import { createProjectorMetrics, ProjectorService } from '@fresnel/features/projector';
import { createProverMetrics, ProofReader, ProverService } from '@fresnel/features/prover';
import { GENERATED_PROGRAMS } from '@fresnel/ledger-generator';
import { createLogger, Registry } from '@fresnel/platform';
import { type JoinedIngest } from '@fresnel/testing/ingest';
import { provideSharedServers } from '@fresnel/testing/servers';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';
import { type DataSource } from 'typeorm';
import { GatedPostgres } from './gated-postgres';
import { GatedRedis, type OpenRedis, openRedis } from './gated-redis';
import { GatewayAnswers } from './gateway-answers';
import { SeededRandom } from './random';
import { type Level, type World } from './run-level';
import { type OperationFaults } from './operation';
import { type Fault, type Scheduler } from './scheduler';
import { chainOf, type SimulatedChain } from './simulated-chain';
import { SimulatedBroker } from './simulated-broker';
import { SimulatedBus } from './simulated-bus';
import { createSimulatedIngest, SimulatedResumePoint } from './simulated-ingest';
import { SimulatedNodes } from './simulated-nodes';
import { SimulatedProcesses } from './simulated-processes';
import { treeHasher } from './tree-hasher';
import { Unwatched } from './unwatched';

/** A record of an ingest that is killed may arrive later. */
const PUBLISH_FAULTS: OperationFaults = { late: 0, error: () => new Error('killed') };
const PARTITIONS: Record<string, number> = { [SLOT_EVENTS.name]: 2, [TREE_UPDATES.name]: 2 };
const FETCHED = [1, 2, 5, 20];
/** About a slot: processes that wait for records make few steps. */
const POLL_MS = 400;
const INGESTS = ['ingest A', 'ingest B'];
const PROJECTORS = ['projector 1', 'projector 2'];
const PROVERS = ['prover A', 'prover B'];
const PROCESSES = [...INGESTS, ...PROJECTORS, ...PROVERS];
const CONNECTIONS = 4;
const SILENT = createLogger('silent');

interface Servers {
  database: TestDatabase;
  dataSources: Map<string, DataSource>;
  redis: OpenRedis;
  answers: GatewayAnswers;
}

class PipelineLevel implements Level {
  readonly name = 'the whole pipeline on a real Postgres and a real Redis, with the oracle';
  readonly steps = 1_500;
  private servers: Servers | null = null;
  private stopShared: () => Promise<void> = () => Promise.resolve();

  async open(): Promise<void> {
    this.stopShared = await provideSharedServers();
    const database = await createTestDatabase();
    const dataSources = new Map<string, DataSource>();
    for (const name of PROCESSES) {
      const options = { url: database.url, poolSize: CONNECTIONS, applicationName: name };
      dataSources.set(name, await connectPatiently(options));
    }
    const redis = await openRedis();
    const options = { ACCEPT_TREE_GAPS: false, PROVER_MAX_WAIT_MS: 0, PROVER_MAX_WAIT_SLOTS: 100 };
    const proofs = new RedisProofStore(redis.redis, treeHasher.hash);
    const reader = new ProofReader(proofs, treeHasher.hash, options, createProverMetrics(new Registry()));
    const answers = await GatewayAnswers.start(database.url, reader);
    this.servers = { database, dataSources, redis, answers };
  }

  async close(): Promise<void> {
    const { servers } = this;
    if (servers) {
      await servers.answers.close();
      await servers.redis.close();
      for (const dataSource of servers.dataSources.values()) await dataSource.destroy();
      await servers.database.drop();
    }
    await this.stopShared();
  }

  async createWorld(scheduler: Scheduler, seed: number): Promise<World> {
    const { servers } = this;
    if (!servers) throw new Error('the level is not open');
    await servers.database.empty();
    await servers.redis.redis.flushall();
    return new PipelineWorld(scheduler, chainOf(seed), servers, new SeededRandom(seed));
  }
}

export const PIPELINE_LEVEL: Level = new PipelineLevel();

/** A simulated process may hold a transaction for longer than the server allows: only the time of the simulation counts. */
async function connectPatiently(options: DatabaseOptions): Promise<DataSource> {
  const dataSource = await connect(options);
  Object.assign(poolOf(dataSource)?.options ?? {}, { idle_in_transaction_session_timeout: 0 });
  await dataSource.query('SET idle_in_transaction_session_timeout = 0');
  return dataSource;
}

class PipelineWorld implements World {
  readonly faults: readonly Fault[];
  private readonly broker = new SimulatedBroker((topic) => PARTITIONS[topic]);
  private readonly nodes: SimulatedNodes;
  private readonly postgres: GatedPostgres;
  private readonly redis: GatedRedis;
  private readonly processes: SimulatedProcesses;
  private checked = '';

  constructor(
    private readonly scheduler: Scheduler,
    private readonly chain: SimulatedChain,
    private readonly servers: Servers,
    private readonly random: SeededRandom,
  ) {
    this.nodes = new SimulatedNodes(scheduler, chain, 3);
    this.postgres = new GatedPostgres(scheduler, servers.database.dataSource);
    this.redis = new GatedRedis(scheduler, servers.redis.redis);
    const run = (name: string, actor: string, signal: AbortSignal) => this.runProcess(name, actor, signal);
    const onKilled = (actor: string) => this.postgres.end(actor);
    this.processes = new SimulatedProcesses(scheduler, this.broker, PROCESSES, run, onKilled);
    this.faults = [
      ...this.nodes.faults,
      ...this.redis.faults(0.004),
      ...this.postgres.faults(0.004),
      ...this.processes.faults({ freeze: 0.008, resume: 0.012, kill: 0.003 }),
      this.rebalance(PROJECTOR_GROUP, SLOT_EVENTS.name),
      this.rebalance(PROVER_GROUP, TREE_UPDATES.name),
    ];
    for (const [name, dataSource] of servers.dataSources) {
      this.postgres.gate(dataSource, () => this.processes.actorOf(name));
    }
    this.processes.startAll();
  }

  async check(): Promise<string | null> {
    await this.postgres.endIdle();
    if (this.processes.failure) return this.processes.failure;
    if (!this.postgres.hasChanged && !this.redis.hasChanged) return null;
    const tip = await this.findTip();
    const state = `${tip?.slot} ${tip?.blockhash.toString('hex')}`;
    const isChecked = state === this.checked && !this.redis.hasChanged;
    this.checked = state;
    this.postgres.hasChanged = false;
    this.redis.hasChanged = false;
    if (!tip || isChecked) return null;
    return this.servers.answers.findFalseAnswer(this.chain, tip, this.random);
  }

  heal(): void {
    this.nodes.heal();
    this.redis.forgetDumps();
    this.postgres.forgetCopy();
  }

  async findDifference(): Promise<string | null> {
    if (!this.nodes.areAtTip) return 'the chain is not complete';
    const last = this.chain.parsed[this.chain.parsed.length - 1];
    const tip = await this.findTip();
    if (!tip || !isSameBlock(tip, last)) return `the index is at ${tip?.slot}, not at ${last.slot}`;
    const [{ count }] = await this.read<{ count: number }>(`SELECT count(*)::int AS count FROM blocks`);
    const { length } = this.chain.parsed;
    if (count !== length) return `${count} blocks are stored, and the chain has ${length}`;
    const lag = Math.max(...this.broker.lagsOf(PROVER_GROUP, TREE_UPDATES.name));
    if (lag > 0) return `provers are ${lag} records behind`;
    return this.servers.answers.findDifference(this.chain);
  }

  async close(): Promise<void> {
    this.processes.close();
    await this.postgres.close();
    this.nodes.close();
  }

  private read<Row>(sql: string): Promise<Row[]> {
    return this.servers.database.dataSource.query<Row[]>(sql);
  }

  /** The newest indexed block. */
  private async findTip(): Promise<BlockRef | null> {
    const [row] = await this.read<{ slot: string; blockhash: Buffer } | undefined>(
      `SELECT slot, blockhash FROM blocks WHERE slot = (SELECT indexed_slot FROM indexer_state)`,
    );
    return row ? { slot: toSlot(Number(row.slot)), blockhash: toHash(row.blockhash) } : null;
  }

  private runProcess(name: string, actor: string, signal: AbortSignal): Promise<void> {
    const dataSource = this.servers.dataSources.get(name);
    if (!dataSource) throw new Error(`${name} has no database`);
    if (INGESTS.includes(name))
      return this.createIngest(actor, INGESTS.indexOf(name) + 1, dataSource).run(signal, new Unwatched());
    if (PROVERS.includes(name)) return this.createProver(actor, dataSource).run(signal);
    return this.createProjector(actor, dataSource).run(signal);
  }

  private busOf(actor: string): SimulatedBus {
    const { scheduler } = this;
    const call = <Result>(name: string, execute: () => Result) =>
      scheduler.operation('broker', name, execute, name.startsWith('publish') ? PUBLISH_FAULTS : null);
    const fetchSize = (max: number) => Math.min(scheduler.random.pick(FETCHED), max);
    return new SimulatedBus(actor, this.broker, call, { fetchSize, pauseMs: POLL_MS });
  }

  private createIngest(actor: string, firstNode: number, dataSource: DataSource): JoinedIngest {
    return createSimulatedIngest({
      chain: this.chain,
      urls: [firstNode, firstNode + 1].map((at) => this.nodes.urlOf(at)),
      bus: this.busOf(actor),
      resumePoint: new SimulatedResumePoint(this.scheduler, this.broker),
      stored: new PostgresStoredBlocks(new ProjectionStore(dataSource), new PostgresTreeReads(dataSource.manager)),
    });
  }

  private createProver(actor: string, dataSource: DataSource): ProverService {
    const options = { ACCEPT_TREE_GAPS: false, PROVER_MAX_WAIT_MS: 0, PROVER_MAX_WAIT_SLOTS: 100 };
    const journal = new PostgresTreeJournal(dataSource, toTreeLog());
    const store = new RedisTreeStore(this.redis.commands, treeHasher.hash, {}, journal);
    const metrics = createProverMetrics(new Registry());
    return new ProverService(this.busOf(actor), store, treeHasher, options, SILENT, metrics);
  }

  private createProjector(actor: string, dataSource: DataSource): ProjectorService {
    const store = new ProjectionStore(dataSource);
    const { compressedToken } = GENERATED_PROGRAMS;
    const metrics = createProjectorMetrics(new Registry());
    return new ProjectorService(this.busOf(actor), store, treeHasher.hashBatch, compressedToken, SILENT, metrics);
  }

  private rebalance(group: string, topic: string): Fault {
    const { scheduler } = this;
    return {
      name: `rebalance of ${group}`,
      probability: 0.006,
      happen: () => {
        const partition = scheduler.pickForFault([0, 1]);
        return this.broker.reassign(group, topic, partition, (members) => scheduler.pickForFault(members));
      },
    };
  }
}
