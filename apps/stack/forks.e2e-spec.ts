import { setTimeout as sleep } from 'node:timers/promises';
import { type GeneratedBlock, generateLedger } from '@fresnel/ledger-generator';
import { Opened } from '@fresnel/testing/generic';
import { digestCleanRun, LiveLedger, StackUnderTest } from '@fresnel/testing/stack';

jest.setTimeout(600_000);

const SEED = 37;
/** Blocks that both branches have. */
const TRUNK = 40;
/** The most that can be taken back. */
const DEPTH = 31;
/** Killed one after the other, while the blocks are taken back. */
const VICTIMS = ['ingest', 'projector', 'prover'];
const MS_PER_KILL = 300;

describe('the stack on a chain that forks', () => {
  const opened = new Opened();
  let abandoned: GeneratedBlock[];
  let ledger: LiveLedger;
  let stack: StackUnderTest;

  beforeAll(async () => {
    const options = { seed: SEED, slots: TRUNK + 3 * DEPTH };
    abandoned = [...generateLedger(options)].slice(TRUNK, TRUNK + DEPTH);
    const branch = { fromSlot: abandoned[0].slot, seed: SEED + 1 };
    ledger = opened.add(await LiveLedger.open({ ...options, branch }, TRUNK));
    stack = opened.add(await StackUnderTest.start(ledger));
  });
  afterAll(() => opened.close());

  it('ends as if it had never had the blocks that the chain left, whoever is killed meanwhile', async () => {
    const trunkTip = ledger.tip;
    ledger.node.add(abandoned);
    await stack.process.waitForSlot(abandoned[DEPTH - 1].slot, 120_000);
    ledger.node.switchBranch(trunkTip, []);
    ledger.reveal(ledger.left);
    await stack.process.waitFor(/the chain forked: reverting orphaned blocks/, 120_000);
    for (const victim of VICTIMS) {
      for (const { service, pid } of stack.replicas()) if (service === victim) process.kill(pid, 'SIGKILL');
      await sleep(MS_PER_KILL);
    }
    await stack.waitForTip();
    expect(await stack.differences()).toEqual([]);
    expect(await stack.digest()).toBe(await digestCleanRun(ledger));
  });
});
