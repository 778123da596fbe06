import { InMemoryBus } from '@fresnel/adapters/bus';
import { unpackProofs } from '@fresnel/adapters/prover-client';
import { connect } from '@fresnel/adapters/store-schema';
import { InMemoryTreeStore, PostgresTreeJournal, toTreeLog } from '@fresnel/adapters/tree-store';
import { TREE_UPDATES, type TreeUpdatesMessage } from '@fresnel/contracts/messages';
import { parseHash, parsePubkey, toBase58, toSlot } from '@fresnel/domain/primitives';
import { poseidon } from '@fresnel/domain/poseidon';
import { hashElement } from '@fresnel/domain/trees';
import { type AddressWithTree, generatedTrees, generateLedger, LedgerOracle } from '@fresnel/ledger-generator';
import { createLogger, Registry } from '@fresnel/platform';
import { TcpLink } from '@fresnel/testing/generic';
import { readGeneratedSlots } from '@fresnel/testing/ledger';
import { TreeRecords } from '@fresnel/testing/messages';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';
import { offsetOf, rootOfProof, testAddress, treeHasherOf } from '@fresnel/testing/trees';
import { type DataSource } from 'typeorm';
import { createProverMetrics } from './prover.metrics';
import { ProverService } from './prover.service';

const WEIGHTS = { createAddressedAccounts: 20, reserveAddresses: 30, insertAddresses: 30, appendAddresses: 30 };
const BLOCKS = [...generateLedger({ seed: 7, slots: 45, weights: WEIGHTS })];
const RECORDS = new TreeRecords();
/** The tree records that ingest publishes, slot by slot. */
const SLOTS = readGeneratedSlots(BLOCKS).map((events) => RECORDS.ofSlot(events));
const HALF = Math.floor(SLOTS.length / 2);
const TREES = generatedTrees().filter(({ type }) => type.startsWith('address'));
const NEW_ADDRESSES = Array.from({ length: 8 }, (_, number) => toBase58(testAddress(number)));
const questionsOf = (addresses: string[]): AddressWithTree[][] =>
  TREES.map(({ tree }) => addresses.map((address) => ({ address, tree: toBase58(tree) })));

/** A prover with its store, on a bus that starts at the store's position. */
class RunningProver {
  private readonly stop = new AbortController();
  private readonly bus: InMemoryBus;
  private readonly running: Promise<void>;
  readonly prover: ProverService;

  private constructor(
    readonly store: InMemoryTreeStore,
    position: bigint | null,
  ) {
    this.bus = new InMemoryBus({ firstOffset: () => position ?? 0n, retryPauseMs: 1, capacity: 10_000 });
    const options = { ACCEPT_TREE_GAPS: false, PROVER_MAX_WAIT_MS: 0, PROVER_MAX_WAIT_SLOTS: 100 };
    const metrics = createProverMetrics(new Registry());
    this.prover = new ProverService(this.bus, store, treeHasherOf(poseidon), options, createLogger('silent'), metrics);
    this.running = this.prover.run(this.stop.signal);
    this.running.catch(() => undefined);
  }

  static async start(dataSource: DataSource | null): Promise<RunningProver> {
    const journal = dataSource && new PostgresTreeJournal(dataSource, toTreeLog());
    const store = await InMemoryTreeStore.open(poseidon, journal);
    return new RunningProver(store, await offsetOf(store));
  }

  publish(slots: readonly TreeUpdatesMessage[][]): Promise<void> {
    return this.bus.publish(TREE_UPDATES, slots.flat(), this.stop.signal);
  }

  /** Resolves when everything is applied. */
  async drain(): Promise<void> {
    await Promise.race([this.bus.waitUntilDrained(this.stop.signal), this.running]);
  }

  async end(): Promise<void> {
    this.stop.abort();
    await this.running;
  }

  async answer(questions: readonly AddressWithTree[], slot: number) {
    const tree = parsePubkey(questions[0].tree);
    const addresses = questions.map(({ address }) => parseHash(address));
    return this.prover.proveNewAddresses(tree, addresses, toSlot(slot));
  }
}

/** All heads and the slot, in a fixed order. */
async function stateOf(store: InMemoryTreeStore) {
  const opened = await Promise.all(generatedTrees().map(({ tree }) => store.openTree(tree)));
  const heads = opened.flatMap(({ head }) => (head ? [head] : []));
  return { heads, slot: await store.findSlot() };
}

describe('ProverService on a generated ledger', () => {
  let database: TestDatabase;
  let expected: Awaited<ReturnType<typeof stateOf>>;
  beforeAll(async () => {
    const { store, ...whole } = await applyAllAtOnce();
    expected = await stateOf(store);
    expect(whole.slots).toBe(SLOTS.length);
  });
  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(() => database.drop());

  async function applyAllAtOnce() {
    const whole = await RunningProver.start(null);
    await whole.publish(SLOTS);
    await whole.drain();
    await whole.end();
    return { store: whole.store, slots: SLOTS.length };
  }

  it('serves the proofs that the oracle computes, after every slot', async () => {
    const oracle = new LedgerOracle();
    const one = await RunningProver.start(null);
    for (const [at, block] of BLOCKS.entries()) {
      oracle.apply(block);
      await one.publish([SLOTS[at]]);
      await one.drain();
      for (const questions of questionsOf(NEW_ADDRESSES)) {
        const expectedAnswer = oracle.getMultipleNewAddressProofsV2(questions);
        const isStored = (await one.store.openTree(parsePubkey(questions[0].tree))).head !== null;
        if (expectedAnswer.outcome !== 'proofs' || !isStored) continue;
        const { root, rootSeq, slot, ...records } = await one.answer(questions, block.slot);
        expect(slot).toBe(expectedAnswer.context.slot);
        const answers = unpackProofs(records).map((item) => ({
          address: toBase58(item.address),
          lowerRangeAddress: toBase58(item.lowerRangeAddress),
          higherRangeAddress: toBase58(item.higherRangeAddress),
          lowElementLeafIndex: item.lowElementLeafIndex,
          nextIndex: item.nextIndex,
          merkleTree: questions[0].tree,
          proof: item.siblings.map(toBase58),
          root: toBase58(root),
          rootSeq,
        }));
        expect(answers).toEqual(expectedAnswer.value);
      }
    }
    for (const question of [...oracle.insertedAddresses(), ...oracle.queuedAddresses()]) {
      const exists = oracle.getMultipleNewAddressProofsV2([question]).outcome === 'exists';
      const answer = one.answer([question], 0).then(
        () => 'proven',
        (error: unknown) => (error as { code: string }).code,
      );
      expect(await answer).toBe(exists ? 'address-exists' : 'proven');
    }
    expect(await stateOf(one.store)).toEqual(expected);
    await one.end();
  });

  it.each([
    ['from its position', HALF],
    ['from an earlier slot, because ingest published some slots again', HALF - 7],
    ['from the first slot', 0],
  ])('continues after a restart %s', async (_, from) => {
    const before = await RunningProver.start(database.dataSource);
    await before.publish(SLOTS.slice(0, HALF));
    await before.drain();
    await before.end();
    const after = await RunningProver.start(database.dataSource);
    expect(await stateOf(after.store)).toEqual(await stateOf(before.store));
    await after.publish(SLOTS.slice(from));
    await after.drain();
    expect(await stateOf(after.store)).toEqual(expected);
    for (const questions of questionsOf(NEW_ADDRESSES)) {
      const { root, ...records } = await after.answer(questions, 0);
      const type = TREES.find(({ tree }) => toBase58(tree) === questions[0].tree)?.type === 'addressV1' ? 'V1' : 'V2';
      for (const { lowerRangeAddress: value, higherRangeAddress: nextValue, nextIndex, ...item } of unpackProofs(
        records,
      )) {
        const low = { index: item.lowElementLeafIndex, value, nextIndex, nextValue };
        const leaf = hashElement(`address${type}`, low, poseidon);
        expect(rootOfProof(leaf, low.index, item.siblings, poseidon)).toEqual(root);
      }
    }
    await after.end();
  });

  it('waits while the database is down, then continues without loss', async () => {
    const link = await TcpLink.to(database.url);
    const viaLink = await connect({ url: link.url, poolSize: 1, applicationName: 'via-link' });
    const one = await RunningProver.start(viaLink);
    await one.publish(SLOTS.slice(0, HALF));
    await one.drain();
    const before = await stateOf(one.store);
    await link.cut();
    // After a failed commit, the partition is claimed again.
    const claims = jest.spyOn(one.store, 'claimPartition');
    await one.publish(SLOTS.slice(HALF));
    while (claims.mock.calls.length < 3) await new Promise(setImmediate);
    expect(await stateOf(one.store)).toEqual(before);
    await link.restore();
    await one.drain();
    expect(await stateOf(one.store)).toEqual(expected);
    await one.end();
    const reopened = await RunningProver.start(database.dataSource);
    expect(await stateOf(reopened.store)).toEqual(expected);
    await reopened.end();
    await viaLink.destroy();
    await link.cut();
  });

  it('stops without writing when another prover has claimed the partition', async () => {
    const one = await RunningProver.start(database.dataSource);
    await one.publish(SLOTS.slice(0, 3));
    await one.drain();
    const other = await RunningProver.start(database.dataSource);
    await other.publish(SLOTS.slice(3, 4));
    await other.drain();
    const before = await stateOf(other.store);
    await one.publish(SLOTS.slice(3, 5));
    await expect(one.drain()).rejects.toMatchObject({ code: 'fenced' });
    const reopened = await RunningProver.start(database.dataSource);
    expect(await stateOf(reopened.store)).toEqual(before);
    await reopened.end();
    await other.publish(SLOTS.slice(4));
    await other.drain();
    expect(await stateOf(other.store)).toEqual(expected);
    await other.end();
  });
});
