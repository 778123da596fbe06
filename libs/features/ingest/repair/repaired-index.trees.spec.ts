import { InMemoryTreeStore } from '@fresnel/adapters/tree-store';
import { type TreeUpdatesMessage } from '@fresnel/contracts/messages';
import { toSlot } from '@fresnel/domain/primitives';
import { type SlotEvents } from '@fresnel/domain/state';
import { generatedTrees, generateLedger } from '@fresnel/ledger-generator';
import { blockhashAt, range } from '@fresnel/testing/chain';
import { readGeneratedSlots } from '@fresnel/testing/ledger';
import { TreeRecords } from '@fresnel/testing/messages';
import { TestProver } from '@fresnel/testing/prover';
import { rememberedPoseidon, testAddress } from '@fresnel/testing/trees';

const WEIGHTS = { createAddressedAccounts: 20, reserveAddresses: 30, insertAddresses: 30, appendAddresses: 30 };
const SLOTS = readGeneratedSlots([...generateLedger({ seed: 33, slots: 64, weights: WEIGHTS })]);
const TREES = generatedTrees().filter(({ type }) => type.startsWith('address'));
const NEW_ADDRESSES = range(0, 5).map(testAddress);

const RECORDS = new TreeRecords();

function recordsOf(events: SlotEvents): TreeUpdatesMessage[] {
  return RECORDS.ofSlot(events);
}

/** Orphaned blocks at the slots of some blocks, each with the transactions of two of them. */
function orphanedBranch(from: number, depth: number): SlotEvents[] {
  const branch: SlotEvents[] = [];
  for (const [at, events] of SLOTS.slice(from, from + depth).entries()) {
    const parent = branch.at(-1) ?? SLOTS[from - 1];
    const transactions = SLOTS.slice(from + 2 * at, from + 2 * at + 2).flatMap((two) => two.transactions);
    const blockhash = blockhashAt(events.slot, 'orphaned');
    branch.push({ ...events, parentSlot: parent.slot, parentBlockhash: parent.blockhash, blockhash, transactions });
  }
  return branch;
}

async function proofsOf({ service }: TestProver) {
  return Promise.allSettled(TREES.map(({ tree }) => service.proveNewAddresses(tree, NEW_ADDRESSES, toSlot(0))));
}

async function startProver(): Promise<TestProver> {
  return new TestProver(await InMemoryTreeStore.open(rememberedPoseidon, null), rememberedPoseidon);
}

describe('address trees', () => {
  let expected: Awaited<ReturnType<typeof proofsOf>>;
  beforeAll(async () => {
    const clean = await startProver();
    await clean.apply(SLOTS.flatMap(recordsOf));
    expected = await proofsOf(clean);
    await clean.end();
    expect(expected.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(1);
  });

  it.each([
    { depth: 1, later: 0 },
    { depth: 1, later: 12 },
    { depth: 3, later: 15 },
    { depth: 2, later: 45 },
  ])(
    'are as without $depth blocks of an ingest that has ended, reverted $later blocks later',
    async ({ depth, later }) => {
      const from = 12;
      const prover = await startProver();
      const branch = orphanedBranch(from, depth);
      await prover.apply(SLOTS.slice(0, from).flatMap(recordsOf));
      await prover.apply(branch.flatMap(recordsOf));
      // The other ingest publishes the blocks of the chain meanwhile.
      for (const events of SLOTS.slice(from, from + depth + later)) await prover.apply(recordsOf(events));
      const { slot: forkSlot, blockhash: forkBlockhash } = SLOTS[from - 1];
      await prover.apply(
        branch.reverse().map(({ slot, blockhash }) => ({
          kind: 'slot-reverted',
          slot,
          blockhash,
          forkPoint: { slot: forkSlot, blockhash: forkBlockhash },
        })),
      );
      for (const events of SLOTS.slice(from)) await prover.apply(recordsOf(events));
      expect(await proofsOf(prover)).toEqual(expected);
      await prover.end();
    },
  );

  it.each([3, 20])(
    'are refused after Kafka has lost the records of %d blocks, until they are published again',
    async (lost) => {
      const from = 12;
      const prover = await startProver();
      await prover.apply(SLOTS.slice(0, from).flatMap(recordsOf));
      for (const events of SLOTS.slice(from + lost)) await prover.apply(recordsOf(events));
      for (const proofs of await proofsOf(prover)) {
        expect(proofs).toMatchObject({ status: 'rejected', reason: { code: 'branch-undecided' } });
      }
      for (const events of SLOTS.slice(from)) await prover.apply(recordsOf(events));
      expect(await proofsOf(prover)).toEqual(expected);
      await prover.end();
    },
  );
});
