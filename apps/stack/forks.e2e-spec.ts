import { type GeneratedBlock, generateLedger } from '@fresnel/ledger-generator';
import { byFaultForm, eventually, Opened } from '@fresnel/testing/generic';
import { digestCleanRun, LiveLedger, StackUnderTest } from '@fresnel/testing/stack';

const SEED = 37;
/** Number of blocks before the fork point. */
const TRUNK = 40;
/** Maximum number of orphaned blocks that can be reverted. */
const DEPTH = 31;
/** Services that are killed one after the other during the revert. The simulation ends each at every operation. */
const VICTIMS = byFaultForm({ short: ['prover'], long: ['ingest', 'projector', 'prover'] });

describe('the stack on a chain that forks', () => {
  const opened = new Opened();
  let orphaned: GeneratedBlock[];
  let ledger: LiveLedger;
  let stack: StackUnderTest;

  beforeAll(async () => {
    const options = { seed: SEED, slots: TRUNK + 3 * DEPTH, transactionsPerSlot: 1, weights: { migrateLeaves: 5 } };
    orphaned = [...generateLedger(options)].slice(TRUNK, TRUNK + DEPTH);
    const branch = { fromSlot: orphaned[0].slot, seed: SEED + 1 };
    ledger = opened.add(await LiveLedger.open({ ...options, branch }, TRUNK));
    const replicas = 'ingest=2,projector=1,prover=2,gateway=1';
    stack = opened.add(await StackUnderTest.start(ledger, { replicas }));
  });
  afterAll(() => opened.close());

  it('ends in the same state as without the orphaned blocks, though services are killed during the revert', async () => {
    const forkPoint = ledger.tip;
    ledger.node.add(orphaned);
    await stack.process.waitForSlot(orphaned[DEPTH - 1].slot);
    ledger.node.switchBranch(forkPoint, []);
    ledger.reveal(Infinity);
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
});
