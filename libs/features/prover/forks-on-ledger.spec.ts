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
const SLOTS = readGeneratedSlots([...generateLedger({ seed: 21, slots: 50, weights: WEIGHTS })]);
const TREES = generatedTrees().filter(({ type }) => type.startsWith('address'));
const NEW_ADDRESSES = range(0, 5).map(testAddress);

const RECORDS = new TreeRecords();

/** The tree records that ingest publishes for a block. */
function recordsOf(events: SlotEvents): TreeUpdatesMessage[] {
  return RECORDS.ofSlot(events);
}

/** Replaces some blocks of the ledger by orphaned ones, each with the transactions of two blocks. */
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

async function answersOf({ service, store }: TestProver) {
  const proofs = TREES.map(({ tree }) => service.proveNewAddresses(tree, NEW_ADDRESSES, toSlot(0)));
  return { answers: await Promise.allSettled(proofs), slot: await store.findSlot() };
}

describe('ProverService on a generated ledger with a fork', () => {
  /** The proofs after each slot of the ledger without a fork. */
  const expected: Awaited<ReturnType<typeof answersOf>>[] = [];
  beforeAll(async () => {
    const prover = new TestProver(await InMemoryTreeStore.open(rememberedPoseidon, null), rememberedPoseidon);
    for (const events of SLOTS) {
      await prover.apply(recordsOf(events));
      expected.push(await answersOf(prover));
    }
    await prover.end();
    const last = expected[expected.length - 1].answers;
    expect(last.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(1);
  });

  it.each([
    [1, 30],
    [7, 20],
    [31, 5],
  ])('of %i blocks serves the same proofs as without the fork, before and after it', async (depth, from) => {
    const prover = new TestProver(await InMemoryTreeStore.open(rememberedPoseidon, null), rememberedPoseidon);
    await prover.apply(SLOTS.slice(0, from).flatMap(recordsOf));
    const branch = orphanedBranch(from, depth);
    const orphanedRecords = branch.flatMap(recordsOf);
    await prover.apply(orphanedRecords);
    expect(await answersOf(prover)).not.toEqual(expected[from - 1]);
    const reverted = branch
      .reverse()
      .map(({ slot, blockhash }) => ({ kind: 'slot-reverted' as const, slot, blockhash }));
    await prover.apply(reverted);
    expect(await answersOf(prover)).toEqual(expected[from - 1]);
    for (const [at, events] of SLOTS.entries()) {
      if (at < from) continue;
      await prover.apply([...recordsOf(events), ...orphanedRecords, ...reverted]);
      expect(await answersOf(prover)).toEqual(expected[at]);
    }
    await prover.end();
  });
});
