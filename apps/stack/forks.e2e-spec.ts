import { setTimeout as sleep } from 'node:timers/promises';
import { type GeneratedBlock, generateLedger } from '@fresnel/ledger-generator';
import { Opened } from '@fresnel/testing/generic';
import { digestCleanRun, LiveLedger, StackUnderTest } from '@fresnel/testing/stack';

jest.setTimeout(600_000);

const SEED = 37;
/** Number of blocks that both branches share. */
const SHARED = 40;
/** The maximum depth of a fork. */
const DEPTH = 31;
/** Killed one after the other, while the blocks are reverted. */
const VICTIMS = ['ingest', 'projector', 'prover'];
const MS_PER_KILL = 300;

describe('the stack on a chain that forks', () => {
  const opened = new Opened();
  let orphanedBlocks: GeneratedBlock[];
  let ledger: LiveLedger;
  let stack: StackUnderTest;

  beforeAll(async () => {
    const options = { seed: SEED, slots: SHARED + 3 * DEPTH };
    orphanedBlocks = [...generateLedger(options)].slice(SHARED, SHARED + DEPTH);
    const branch = { fromSlot: orphanedBlocks[0].slot, seed: SEED + 1 };
    ledger = opened.add(await LiveLedger.open({ ...options, branch }, SHARED));
    stack = opened.add(await StackUnderTest.start(ledger));
  });
  afterAll(() => opened.close());

  it('ends in the state of the new branch alone, although services are killed during the revert', async () => {
    const forkPointSlot = ledger.tip;
    ledger.node.add(orphanedBlocks);
    await stack.process.waitForSlot(orphanedBlocks[DEPTH - 1].slot, 120_000);
    ledger.node.switchBranch(forkPointSlot, []);
    ledger.reveal(ledger.remaining);
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
