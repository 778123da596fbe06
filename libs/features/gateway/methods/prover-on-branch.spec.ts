import { BranchUndecidedError, type ProverClient, TreeBehindError } from '@fresnel/adapters/prover-client';
import { BRANCH_BLOCKS, type ProofSlots, type Reader } from '@fresnel/adapters/store-read';
import { type Hash, toSlot } from '@fresnel/domain/primitives';
import { blockhashAt } from '@fresnel/testing/chain';
import { testAddressTree } from '@fresnel/testing/trees';
import { ProverOnBranch } from './prover-on-branch';

const queuesAt = (blockhash: Hash | null) => ({
  slot: 7,
  blockhash,
  queue: { start: 1n, end: 2n },
  inputQueue: { start: 0n, end: 0n },
});
const { tree: TREE } = testAddressTree('addressV2');
const [ON_BRANCH, ELSEWHERE] = [blockhashAt(7), blockhashAt(7, 'other')];
/** Of tables whose newest change is before the answers. */
const SLOTS: ProofSlots = { indexedSlot: toSlot(4), minSlot: toSlot(3), minBlockhash: blockhashAt(3) };
/** Of tables that have the block of the answers as their newest change. */
const SAME_SLOTS: ProofSlots = { indexedSlot: toSlot(9), minSlot: toSlot(7), minBlockhash: ON_BRANCH };

/** Why the tree is closed. */
let closure: string | null = null;

/** A prover that gives these answers, one after the other, and then the last one. */
function proverWith(...answers: (Hash | null | Error)[]) {
  const findQueues = jest.fn(() => {
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(queuesAt(answer ?? null));
  });
  const asked: Buffer[] = [];
  const lookUp = (statement: unknown, key: Buffer) => {
    expect(statement).toBe(BRANCH_BLOCKS);
    asked.push(key);
    return Promise.resolve({ is_on_branch: key.subarray(8, 40).equals(ON_BRANCH), closure });
  };
  const prover = new ProverOnBranch(
    { findQueues } as Partial<ProverClient> as ProverClient,
    { lookUp } as Partial<Reader> as Reader,
  );
  return { ask: (slots: ProofSlots = SLOTS) => prover.findQueues(TREE, slots), findQueues, asked };
}

describe('an answer of the prover', () => {
  it('is returned if its block is on the indexed branch', async () => {
    const { ask, asked } = proverWith(ON_BRANCH);
    expect(await ask()).toEqual(queuesAt(ON_BRANCH));
    expect(asked).toEqual([Buffer.concat([Buffer.from('0000000000000007', 'hex'), ON_BRANCH, TREE])]);
  });

  it('is not compared if it is as of the newest change of the tables, and is true at the indexed slot', async () => {
    const { ask, asked } = proverWith(ON_BRANCH);
    expect(await ask(SAME_SLOTS)).toEqual({ ...queuesAt(ON_BRANCH), slot: 9 });
    expect(asked).toEqual([]);
  });

  it('is compared if it is as of another block of that slot, or if the tables have not named one', async () => {
    const elsewhere = proverWith(ELSEWHERE, ON_BRANCH);
    await elsewhere.ask(SAME_SLOTS);
    expect(elsewhere.asked).toHaveLength(1);
    const { ask, asked } = proverWith(ON_BRANCH);
    await ask({ ...SAME_SLOTS, minBlockhash: null });
    expect(asked).toHaveLength(1);
  });

  it.each([
    ['its block is on another branch', ELSEWHERE],
    ['its block is not known', null],
    ['the prover has not decided on a branch', new BranchUndecidedError()],
  ])('is asked for again while %s', async (_, first) => {
    const { ask, findQueues } = proverWith(first, first, ON_BRANCH);
    expect(await ask()).toEqual(queuesAt(ON_BRANCH));
    expect(findQueues).toHaveBeenCalledTimes(3);
  });

  it.each([
    ['', ON_BRANCH],
    [', also without a block', null],
  ])('is refused at once if history lacks something of its tree%s', async (_, answer) => {
    closure = 'spend-missing';
    const { ask, findQueues } = proverWith(answer);
    await expect(ask()).rejects.toMatchObject({ code: 'tree-not-servable' });
    expect(findQueues).toHaveBeenCalledTimes(1);
    closure = null;
  });

  it('is refused if its block stays on another branch', async () => {
    await expect(proverWith(ELSEWHERE).ask()).rejects.toMatchObject({ code: 'tree-off-branch', isRetryable: true });
  });

  it('is not asked for again after another error', async () => {
    const { ask, findQueues } = proverWith(new TreeBehindError(null, toSlot(3)), ON_BRANCH);
    await expect(ask()).rejects.toThrow(TreeBehindError);
    expect(findQueues).toHaveBeenCalledTimes(1);
  });
});
