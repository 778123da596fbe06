import { setTimeout as sleep } from 'node:timers/promises';
import { generateLedger, Random } from '@fresnel/ledger-generator';
import { byFaultForm, eventually, Opened } from '@fresnel/testing/generic';
import { digestCleanRun, LiveLedger, readFaultLoad, type RunningReplica, StackUnderTest } from '@fresnel/testing/stack';

const HISTORY = 20;
/** Maximum number of orphaned blocks that can be reverted. */
const DEPTH = 31;
/** Each start of a process takes a second. The simulation has two of each service that writes. */
const REPLICAS = byFaultForm({
  short: 'ingest=1,projector=2,prover=1,gateway=1',
  long: 'ingest=2,projector=3,prover=2,gateway=2',
});
/** Services that are killed one after the other during a revert. The simulation ends each at every operation. */
const VICTIMS = byFaultForm({ short: ['prover'], long: ['ingest', 'projector', 'prover'] });
/** Mean time between two kills: about as long as a process takes to start. */
const MS_PER_KILL = 1_500;

const { kills, slots, seed } = readFaultLoad();
const LEDGER = { seed: 23, slots: slots + 3 * DEPTH, transactionsPerSlot: 1, weights: { migrateLeaves: 5 } };
jest.setTimeout(600_000 + 4 * kills * MS_PER_KILL);

/** Which replicas are killed after which block: first one of each service, and each once before one is killed twice. */
function planKills(replicas: readonly RunningReplica[], blocks: number, random: Random): Map<number, RunningReplica[]> {
  const shuffled = random.sample(replicas, replicas.length);
  const firsts = [...new Map(shuffled.map((replica) => [replica.service, replica])).values()];
  const victims = [...firsts, ...shuffled.filter((replica) => !firsts.includes(replica))];
  while (victims.length < kills) victims.push(random.pick(replicas));
  const plan = new Map<number, RunningReplica[]>();
  for (const victim of victims.slice(0, kills)) {
    const block = random.below(blocks);
    plan.set(block, [...(plan.get(block) ?? []), victim]);
  }
  return plan;
}

// The seed is part of the title, so that a failure names it.
describe(`the stack, with ${kills} kills over ${slots} slots by seed ${seed}`, () => {
  const opened = new Opened();
  const random = new Random(seed);
  const killed: RunningReplica[] = [];
  let ledger: LiveLedger;
  let stack: StackUnderTest;

  beforeAll(async () => {
    ledger = opened.add(await LiveLedger.open(LEDGER, HISTORY));
    stack = opened.add(await StackUnderTest.start(ledger, { replicas: REPLICAS }));
  });
  afterAll(() => opened.close());

  const isKilled = (pid: number) => killed.some((victim) => victim.pid === pid);

  /** Kills the replica's process, or another one while that is restarting. */
  async function kill({ service, number }: RunningReplica): Promise<void> {
    for (;;) {
      const all = stack.replicas();
      const wanted = all.filter((replica) => replica.service === service && replica.number === number);
      const others = random.sample(all, all.length);
      const victim = [...wanted, ...others].find(({ pid }) => !isKilled(pid) && killNow(pid));
      if (victim) {
        killed.push(victim);
        return;
      }
      await sleep(50);
    }
  }

  it('loses nothing when any of its processes are killed: answers as the oracle does, and has the tables of a clean run', async () => {
    const startedAt = Date.now();
    const blocks = ledger.generateAll() - 2 * DEPTH;
    const paceMs = (kills * MS_PER_KILL) / blocks;
    const plan = planKills(stack.replicas(), blocks, random);
    for (let block = 0; block < blocks; block++) {
      ledger.reveal(1);
      for (const victim of plan.get(block) ?? []) {
        await sleep(random.below(paceMs));
        await kill(victim);
      }
      await sleep(paceMs);
    }
    const killedMs = Date.now() - startedAt;
    await stack.waitForTip();
    const caughtUpMs = Date.now() - startedAt;
    expect(await stack.differences()).toEqual([]);
    expect(stack.restarts).toBe(kills);
    const countOf = (name: string) => killed.filter(({ service }) => service === name).length;
    const counts = [...new Set(killed.map(({ service }) => service))].map((name) => `${name} ${countOf(name)}`);
    console.log(
      `${killed.length} kills (${counts.join(', ')}) over ${blocks} blocks in ${killedMs} ms, ` +
        `everything was indexed after ${caughtUpMs} ms`,
    );
    expect(await stack.digest()).toBe(await digestCleanRun(ledger.revealed));
  });

  it('ends in the same state as without the blocks of a fork, though services are killed during the revert', async () => {
    const { tip, revealed } = ledger;
    const fork = [...generateLedger({ ...LEDGER, branch: { fromSlot: tip + 1, seed: LEDGER.seed + 1 } })];
    const orphaned = fork.slice(revealed.length, revealed.length + DEPTH);
    ledger.node.add(orphaned);
    await stack.process.waitForSlot(orphaned[DEPTH - 1].slot);
    ledger.node.switchBranch(tip, []);
    ledger.reveal(2 * DEPTH);
    await stack.process.waitFor(/the chain forked: reverting orphaned blocks/);
    for (const victim of VICTIMS) {
      const killed = stack.replicas().filter(({ service }) => service === victim);
      const restarts = stack.restarts + killed.length;
      for (const { pid } of killed) process.kill(pid, 'SIGKILL');
      await eventually('they were started again', () => stack.restarts === restarts);
    }
    await stack.waitForTip();
    expect(await stack.differences()).toEqual([]);
    expect(await stack.digest()).toBe(await digestCleanRun(ledger.revealed));
  });

  it('continues at its position after a restart, and loads lost trees from the journal', async () => {
    await stack.waitForTip();
    expect(await stack.end()).toBe(0);
    await stack.clearRedis();
    const before = ledger.node.requestsOf('getBlock').length;
    await stack.restart();
    expect(await stack.differences()).toEqual([]);
    expect(await stack.end()).toBe(0);
    const fetched = ledger.node.requestsOf('getBlock').slice(before);
    expect(fetched.filter(({ params: [slot] }) => Number(slot) < ledger.tip)).toEqual([]);
  });
});

/** @returns whether there was such a process */
function killNow(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}
