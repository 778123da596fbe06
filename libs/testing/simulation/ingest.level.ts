import { type GenerationFinder } from '@fresnel/adapters/bus';
import { StoreUnavailableError } from '@fresnel/adapters/store-schema';
import { InMemoryTreeStore } from '@fresnel/adapters/tree-store';
import { PROJECTOR_GROUP, SLOT_EVENTS, TREE_UPDATES } from '@fresnel/contracts/messages';
import { keyOf, toBase58 } from '@fresnel/domain/primitives';
import { createProverMetrics, ProverService } from '@fresnel/features/prover';
import { createLogger, Registry } from '@fresnel/platform';
import { type JoinedIngest } from '@fresnel/testing/ingest';
import { headsOf } from '@fresnel/testing/trees';
import { ChainRoots, describeHead } from './chain-roots';
import { LosableJournal } from './losable-journal';
import { ModelStoredBlocks } from './model-stored-blocks';
import { ModelTables } from './model-tables';
import { SeededRandom } from './random';
import { RevertCheck } from './revert-check';
import { type Level, type World } from './run-level';
import { type OperationFaults } from './operation';
import { type Fault, type Scheduler } from './scheduler';
import { chainOf, type SimulatedChain } from './simulated-chain';
import { SimulatedBroker } from './simulated-broker';
import { SimulatedBus } from './simulated-bus';
import { createSimulatedIngest, SimulatedResumePoint } from './simulated-ingest';
import { SimulatedNodes } from './simulated-nodes';
import { SimulatedProcesses } from './simulated-processes';
import { SimulatedRepublication } from './simulated-republication';
import { SimulatedReset } from './simulated-reset';
import { treeHasher } from './tree-hasher';
import { Unwatched } from './unwatched';

const TABLE_FAULTS: OperationFaults = {
  lostReply: 0.02,
  notSent: 0.02,
  error: () => new StoreUnavailableError('the connection was lost'),
};
/** A record of an ingest that is killed may arrive later. */
const PUBLISH_FAULTS: OperationFaults = { late: 0, error: () => new Error('killed') };
const PARTITIONS: Record<string, number> = { [SLOT_EVENTS.name]: 2, [TREE_UPDATES.name]: 1 };
const FETCHED = [1, 2, 5, 20];
/** About a slot: processes that wait for records make few steps. */
const POLL_MS = 400;
const PROCESS_FAULTS = { freeze: 0.015, resume: 0.025, kill: 0.008 };
const REBALANCE = 0.015;
const RESET = 0.006;
const FALSE_SKIP = 0.03;
const FAILOVER = 0.03;
const KEPT_COMMITS = 6;
/** The share of the worlds with an operator, of those in which trees lack operations, and of the others in which commits are lost. */
const OPERATED = 0.3;
const REPUBLISHED = 0.5;
const FAILING = 0.4;
const INGESTS = ['ingest A', 'ingest B'];
const PROJECTORS = ['projector 1', 'projector 2'];
/** In some worlds a node gives a finalized block with a false parent. */
const SEEDS_PER_FALSE_PARENT = 5;
const SILENT = createLogger('silent');

/**
 * Two ingests with nodes that lag and disagree, a broker, projectors whose tables are modelled, and a prover.
 *
 * ```
 *   nodes 1, 2 ── ingest A ──┐             ┌── projectors 1, 2
 *   nodes 2, 3 ── ingest B ──┴── broker ───┴── prover
 * ```
 */
export const INGEST_LEVEL: Level = {
  name: 'two ingests with their nodes, a broker and a prover',
  steps: 500,
  open: () => Promise.resolve(),
  close: () => Promise.resolve(),
  createWorld: async (scheduler, seed) => {
    const chain = chainOf(seed);
    const journal = new LosableJournal(KEPT_COMMITS);
    const trees = await InMemoryTreeStore.open(treeHasher.hash, journal);
    const world = new IngestWorld(scheduler, chain, trees, await rootsOf(chain), eventsOf(seed));
    if (eventsOf(seed).areCommitsLost) world.faults.push(journal.faultOf(scheduler, FAILOVER));
    if (seed % SEEDS_PER_FALSE_PARENT === 2) world.nodes.giveFalseParent();
    return world;
  },
};

/** What happens in a world besides the faults of all. */
interface Events {
  /** The store of trees fails over to a copy without its last commits. */
  areCommitsLost: boolean;
  /** Positions are reset. */
  isReset: boolean;
  /** Operations of trees are missing, and published again. */
  isRepublished: boolean;
}

class IngestWorld implements World {
  readonly faults: Fault[];
  private readonly tables = new ModelTables();
  private readonly broker = new SimulatedBroker((topic) => PARTITIONS[topic]);
  readonly nodes: SimulatedNodes;
  /** Null: nobody resets the positions. */
  private readonly reset: SimulatedReset | null;
  /** Null: all operations are published. */
  private readonly republication: SimulatedRepublication | null;
  private readonly processes: SimulatedProcesses;
  private readonly reverts: RevertCheck;
  /** The state that was checked last. */
  private checked = '';

  constructor(
    private readonly scheduler: Scheduler,
    private readonly chain: SimulatedChain,
    private readonly trees: InMemoryTreeStore,
    private readonly roots: ChainRoots,
    { isReset, isRepublished }: Events,
  ) {
    this.reset = isReset ? new SimulatedReset(scheduler, this.broker, this.tables, trees, chain) : null;
    this.nodes = new SimulatedNodes(scheduler, chain, 3);
    this.reverts = new RevertCheck(this.broker, chain);
    const names = [...INGESTS, ...PROJECTORS, 'prover'];
    const run = (name: string, actor: string, signal: AbortSignal) => this.runProcess(name, actor, signal);
    this.processes = new SimulatedProcesses(scheduler, this.broker, names, run);
    this.republication = isRepublished
      ? new SimulatedRepublication(scheduler, trees, this.nodes, chain, this.processes.signal)
      : null;
    this.faults = [
      ...this.nodes.faults,
      ...this.processes.faults({
        ...PROCESS_FAULTS,
        frozen: [...INGESTS, ...names],
        killed: [...INGESTS, ...PROJECTORS],
      }),
      { name: 'rebalance', probability: REBALANCE, happen: () => this.rebalance() },
      ...(this.reset ? [this.reset.faultOf(this.processes, INGESTS, RESET)] : []),
      ...(this.republication ? [this.republication.faultOf(FALSE_SKIP)] : []),
    ];
    this.processes.startAll();
  }

  async check(): Promise<string | null> {
    const failure = this.processes.failure ?? this.reset?.failure ?? this.reverts.findFalseRevert();
    if (failure) return failure;
    const state = `${this.tables.version} ${(await this.trees.claimPartition(0, 1)).offset}`;
    if (state === this.checked) return null;
    this.checked = state;
    // A tree has an old root as long as nobody has seen that it lacks operations.
    return this.republication ? null : this.findFalseProof();
  }

  /** What a gateway would serve: a tree that is not behind the tables, of a block that they do not exclude. */
  private async findFalseProof(): Promise<string | null> {
    const { tip } = this.tables;
    const { block, blocks, trees, hasRefused } = await this.trees.claimPartition(0, 1);
    if (!tip || !block || hasRefused || block.slot < tip.slot) return null;
    const { slot, blockhash } = block;
    const branch = blocks.filter(({ state }) => state === 'admitted');
    if (blockhash && !this.tables.accepts({ slot, blockhash }, branch)) return null;
    for (const tree of trees) {
      const { head } = await this.trees.openTree(tree);
      if (!head || head.quarantineReason || this.roots.hadRoot(keyOf(tree), head.root.toString('hex'), tip)) continue;
      return `a proof of tree ${toBase58(tree).slice(0, 8)} is served for slot ${slot} with a root that it did not have after block ${tip.slot}`;
    }
    return null;
  }

  heal(): void {
    this.nodes.heal();
    this.processes.endOverlooked();
  }

  async findDifference(): Promise<string | null> {
    const { parsed: canonical } = this.chain;
    const { indexed, blocks } = this.tables;
    const tip = this.tables.tip?.slot ?? 'none';
    if (!this.nodes.areAtTip) return 'the chain is not complete';
    if (indexed.length < canonical.length)
      return `the index has ${indexed.length} of ${canonical.length} blocks, up to ${tip}`;
    const wrong = indexed.find(({ blockhash }, at) => !blockhash.equals(canonical[at].blockhash));
    if (wrong) return `block ${wrong.slot} of the index is not on the chain`;
    if (blocks.size > indexed.length) return `${blocks.size - indexed.length} stored blocks are not on the chain`;
    const { hasRefused } = await this.trees.claimPartition(0, 1);
    if (hasRefused) return 'proofs are refused, because the prover has refused a block';
    const heads = (await headsOf(this.trees)).map(describeHead).sort();
    const expected = this.roots.heads;
    const at = expected.findIndex((head, position) => head !== heads[position] && !this.needsOperator(heads[position]));
    return at < 0 ? null : `a tree is ${heads[at]}, and should be ${expected[at]}`;
  }

  /** A fork may orphan a block before which operations were published again: the tree is refused until it is rebuilt. */
  private needsOperator(head: string): boolean {
    return this.republication !== null && head.endsWith('were applied after it, and would be reverted too');
  }

  close(): Promise<void> {
    this.processes.close();
    this.nodes.close();
    return Promise.resolve();
  }

  private runProcess(name: string, actor: string, signal: AbortSignal): Promise<void> {
    if (INGESTS.includes(name)) return this.createIngest(actor, INGESTS.indexOf(name) + 1).run(signal, new Unwatched());
    return name === 'prover' ? this.createProver(actor).run(signal) : this.project(actor, signal);
  }

  private busOf(
    actor: string,
    findGeneration: GenerationFinder | undefined = this.reset?.findGeneration,
  ): SimulatedBus {
    const { scheduler } = this;
    const call = <Result>(name: string, execute: () => Result) =>
      scheduler.operation('broker', name, execute, name.startsWith('publish') ? PUBLISH_FAULTS : null);
    const fetchSize = (max: number) => Math.min(scheduler.random.pick(FETCHED), max);
    return new SimulatedBus(actor, this.broker, call, { fetchSize, pauseMs: POLL_MS, findGeneration });
  }

  private createIngest(actor: string, firstNode: number): JoinedIngest {
    const { reset } = this;
    const findGeneration = reset?.joinGeneration();
    return createSimulatedIngest({
      chain: this.chain,
      urls: [firstNode, firstNode + 1].map((at) => this.nodes.urlOf(at)),
      bus: this.busOf(actor, findGeneration),
      resumePoint:
        reset && findGeneration
          ? reset.resumePointOf(actor, findGeneration)
          : new SimulatedResumePoint(this.scheduler, this.broker),
      republication: this.republication,
      stored: new ModelStoredBlocks(this.tables, this.trees, (name, read) => this.readTables(name, read)),
    });
  }

  private readTables<Result>(name: string, read: () => Result | Promise<Result>): Promise<Result> {
    return this.scheduler.operation('tables', name, read, TABLE_FAULTS);
  }

  private createProver(actor: string): ProverService {
    const options = { ACCEPT_TREE_GAPS: false, PROVER_MAX_WAIT_MS: 0, PROVER_MAX_WAIT_SLOTS: 100 };
    const metrics = createProverMetrics(new Registry());
    return new ProverService(this.busOf(actor), this.trees, treeHasher, options, SILENT, metrics);
  }

  private project(actor: string, signal: AbortSignal): Promise<void> {
    const epochs = new Map<number, number>();
    return this.busOf(actor).consume(
      {
        group: PROJECTOR_GROUP,
        topic: SLOT_EVENTS,
        maxBatch: 20,
        claimPartition: async (partition) => {
          const { offset, epoch } = await this.readTables(`claim ${partition}`, () => this.tables.claim(partition));
          epochs.set(partition, epoch);
          return offset;
        },
        onBatch: (batch) =>
          this.readTables(`apply ${batch.partition}: ${batch.from} to ${batch.to}`, () => {
            this.tables.apply(batch, epochs.get(batch.partition) ?? 0);
          }),
      },
      signal,
    );
  }

  private rebalance(): string | null {
    const { scheduler } = this;
    const pick = (members: string[]) => scheduler.pickForFault(members);
    const partition = scheduler.pickForFault([0, 1]);
    return this.broker.reassign(PROJECTOR_GROUP, SLOT_EVENTS.name, partition, pick);
  }
}

/** What happens in the world of a seed: in most of them nothing, and so in those of `regressions.ts`. */
function eventsOf(seed: number): Events {
  const random = new SeededRandom(seed ^ 0x538453d7);
  const isReset = random.chance(OPERATED);
  const isRepublished = isReset && random.chance(REPUBLISHED);
  return { isReset, isRepublished, areCommitsLost: !isReset && new SeededRandom(seed ^ 0x1fe68f02).chance(FAILING) };
}

const known = new Map<SimulatedChain, Promise<ChainRoots>>();

/** Replaying a chain takes longer than a run. */
function rootsOf(chain: SimulatedChain): Promise<ChainRoots> {
  const roots = known.get(chain) ?? ChainRoots.of(chain);
  known.set(chain, roots);
  return roots;
}
