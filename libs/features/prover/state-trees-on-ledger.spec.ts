import { InMemoryTreeStore } from '@fresnel/adapters/tree-store';
import { type TreeUpdatesMessage } from '@fresnel/contracts/messages';
import { toSlot, ZERO_HASH } from '@fresnel/domain/primitives';
import { foldTreeChanges, type SlotEvents } from '@fresnel/domain/state';
import { isAddressTree } from '@fresnel/domain/trees';
import { type GeneratedBlock, generatedTrees, generateLedger } from '@fresnel/ledger-generator';
import { blockhashAt, range } from '@fresnel/testing/chain';
import { readGeneratedSlots, StateTreeReplica } from '@fresnel/testing/ledger';
import { TreeRecords } from '@fresnel/testing/messages';
import { TestProver } from '@fresnel/testing/prover';
import { rememberedPoseidon, rootOfProof } from '@fresnel/testing/trees';

const WEIGHTS = { nullifyLeaves: 30, migrateLeaves: 30, appendOutputs: 40, nullifyInputs: 40, transferLamports: 40 };
const BLOCKS: GeneratedBlock[] = [...generateLedger({ seed: 33, slots: 60, weights: WEIGHTS })];
const SLOTS = readGeneratedSlots(BLOCKS);
const TREES = generatedTrees().filter((info) => !isAddressTree(info));

const RECORDS = new TreeRecords();

function recordsOf(events: SlotEvents): TreeUpdatesMessage[] {
  return RECORDS.ofSlot(events);
}

/** The trees after the first blocks of the ledger. */
function replicasAfter(count: number): StateTreeReplica[] {
  const replicas = TREES.map((info) => new StateTreeReplica(info, rememberedPoseidon));
  const events = BLOCKS.slice(0, count).flatMap(({ facts }) => facts.transactions.flatMap((each) => each.events));
  for (const replica of replicas) for (const event of events) replica.apply(event);
  return replicas;
}

/** Checks that each tree has the root, sequence number, leaves and queues of its replica, and that each path leads to the root. */
async function expectTrees({ service }: TestProver, count: number): Promise<StateTreeReplica[]> {
  const replicas = replicasAfter(count);
  for (const replica of replicas) {
    const all = [...range(0, replica.nextIndex + 3), ...replica.leaves.keys(), 2 ** replica.info.height - 1];
    const indices = all.slice(0, 400);
    const proofs = await service.proveLeaves(replica.info.tree, indices, toSlot(0));
    expect([proofs.rootSeq, proofs.nextIndex]).toEqual([replica.seq, BigInt(replica.nextIndex)]);
    expect(proofs.root).toEqual(replica.root());
    expect(await service.findQueues(replica.info.tree, toSlot(0))).toMatchObject(replica.queues());
    const wrong = indices.filter((leafIndex, at) => {
      const leaf = proofs.leaves[at];
      return (
        !leaf.equals(replica.leaves.get(leafIndex) ?? ZERO_HASH) ||
        !rootOfProof(leaf, leafIndex, proofs.paths.siblings(at), rememberedPoseidon).equals(proofs.root)
      );
    });
    expect(wrong).toEqual([]);
  }
  return replicas;
}

/** A branch of orphaned blocks after the first blocks of the ledger, each with the transactions of another block. */
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

const createProver = async () =>
  new TestProver(await InMemoryTreeStore.open(rememberedPoseidon, null), rememberedPoseidon);

/** The number of migrated leaves that batches have appended to V2 trees. */
function countAppendedMigrations(replicas: readonly StateTreeReplica[]): number {
  const events = BLOCKS.flatMap(({ facts }) => facts.transactions.flatMap((each) => each.events));
  const migrations = events.filter((event) => event.kind === 'leaf-migrated');
  return migrations.filter(({ target, targetLeafIndex }) =>
    replicas.some(({ info, nextIndex }) => info.tree.equals(target.tree) && targetLeafIndex < nextIndex),
  ).length;
}

describe('ProverService on the state trees of a generated ledger', () => {
  it('proves every leaf with the roots of the chain, when blocks arrive one by one', async () => {
    const prover = await createProver();
    for (const events of SLOTS) await prover.apply([...recordsOf(events), ...recordsOf(events)]);
    const replicas = await expectTrees(prover, SLOTS.length);
    await prover.end();
    const types = replicas.filter(({ seq }) => seq > 3n).map(({ info }) => info.type);
    expect(types).toEqual(expect.arrayContaining(['stateV1', 'stateV2']));
    expect(countAppendedMigrations(replicas)).toBeGreaterThan(20);
    // Some leaves were nullified before they were appended.
    expect(replicas.some(({ leaves, nextIndex }) => [...leaves.keys()].some((index) => index < nextIndex))).toBe(true);
  });

  it('proves every leaf after one large batch', async () => {
    const prover = await createProver();
    await prover.apply(SLOTS.flatMap(recordsOf));
    await expectTrees(prover, SLOTS.length);
    await prover.end();
  });

  it.each([
    [1, 40],
    [6, 30],
    [20, 12],
  ])('has the trees of before after a fork of %i blocks, and follows the new branch', async (depth, from) => {
    const prover = await createProver();
    await prover.apply(SLOTS.slice(0, from).flatMap(recordsOf));
    const branch = orphanedBranch(from, depth);
    await prover.apply(branch.flatMap(recordsOf));
    await prover.apply(
      branch.reverse().map(({ slot, blockhash }) => ({ kind: 'slot-reverted' as const, slot, blockhash })),
    );
    await expectTrees(prover, from);
    await prover.apply(SLOTS.slice(from).flatMap(recordsOf));
    await expectTrees(prover, SLOTS.length);
    await prover.end();
  });

  it('refuses proofs of a tree whose first operations are missing', async () => {
    const prover = await createProver();
    const first = SLOTS.findIndex((events) => foldTreeChanges(events).some(({ changes }) => changes.length > 0));
    await prover.apply(SLOTS.slice(first + 20).flatMap(recordsOf));
    const changed = replicasAfter(first + 20).filter(({ seq }) => seq > 0n);
    expect(changed.length).toBeGreaterThan(0);
    for (const { info } of changed) {
      await expect(prover.service.proveLeaves(info.tree, [0], toSlot(0))).rejects.toMatchObject({
        code: 'tree-not-servable',
      });
    }
    await prover.end();
  });
});
