import { RpcTreeSource } from '@fresnel/adapters/chain';
import { LIVE_PROGRAMS } from '@fresnel/domain/events';
import { type Slot, toSlot, ZERO_PUBKEY } from '@fresnel/domain/primitives';
import { foldTreeChanges } from '@fresnel/domain/state';
import { type TreeInfo } from '@fresnel/domain/trees';
import { generatedTrees, generateLedger } from '@fresnel/ledger-generator';
import { createTestRpc, createTestSource } from '@fresnel/testing/block-sources';
import { encodeQueueAccount, encodeTreeAccount } from '@fresnel/testing/chain';
import { captureLog } from '@fresnel/testing/generic';
import { IngestOnNode } from '@fresnel/testing/ingest';
import { treeAccountsOf } from '../read/tree-accounts';
import { TreeRegistry, type TreeRegistryOptions } from '../read/tree-registry';

const { accountCompression } = LIVE_PROGRAMS;
const TREES = generatedTrees();
const LEDGER = [...generateLedger({ seed: 11, slots: 12 })];
const FIRST = LEDGER[0].slot;
const LAST = LEDGER[LEDGER.length - 1].slot;

describe('FollowService and trees that it looks up', () => {
  let ingest: IngestOnNode;
  beforeEach(async () => {
    ingest = await IngestOnNode.open();
    ingest.node.add(LEDGER);
  });
  afterEach(() => ingest.close());

  function start(options: Partial<TreeRegistryOptions> = {}): void {
    const treeOwner = TREES[0].owner ?? ZERO_PUBKEY;
    const { rpc } = createTestRpc(ingest.node);
    const source = new RpcTreeSource(rpc, { accountCompression, treeOwner }, captureLog().logger);
    const { node } = ingest;
    void ingest.start({
      source: createTestSource(node, { startSlot: toSlot(FIRST) }).source,
      trees: new TreeRegistry([], source, options),
    });
  }

  function createAccounts(): void {
    for (const tree of TREES) {
      ingest.node.accounts.set(tree.tree, { owner: accountCompression, data: encodeTreeAccount(tree) });
      if (tree.queue.equals(tree.tree)) continue;
      ingest.node.accounts.set(tree.queue, { owner: accountCompression, data: encodeQueueAccount(tree) });
    }
  }

  /** The node answers for accounts as of the slot before the first block. */
  function lag(): void {
    ingest.node.accountLag = LAST - FIRST + 1;
  }

  const untilAllPublished = () => ingest.until(() => ingest.bus.slots.at(-1)?.slot === LAST);
  const keyOfTree = ({ tree }: TreeInfo) => tree.toString('hex');
  /** What consumers derive from a slot, without the state in which the trees were observed. */
  const outcomes = () =>
    ingest.bus.slots.map((slot): [Slot, number, string[], string[]] => [
      slot.slot,
      slot.deadLetters.length,
      slot.trees.map(keyOfTree),
      foldTreeChanges(slot).map(({ tree }) => keyOfTree(tree)),
    ]);

  it.each([
    ['rejects requests', false],
    ['answers as of an older slot', true],
  ])('loses no event while a node lags and %s', async (_, ignoresMinContextSlot) => {
    createAccounts();
    start();
    await untilAllPublished();
    const expected = outcomes();
    await ingest.close();
    ingest = await IngestOnNode.open();
    ingest.node.add(LEDGER);
    ingest.node.ignoresMinContextSlot = ignoresMinContextSlot;
    lag();
    start();
    await ingest.node.waitForRequest('getMultipleAccounts', 4);
    createAccounts();
    ingest.node.accountLag = 0;
    await untilAllPublished();
    // Here no tree is announced with the first slot, because none was listed at the start.
    const withoutFirst = (slots: typeof expected) => slots.slice(1);
    expect(withoutFirst(outcomes())).toEqual(withoutFirst(expected));
    expect(outcomes().every(([, deadLetters]) => deadLetters === 0)).toBe(true);
    expect(await ingest.valueOf('fresnel_ingest_foreign_events_total')).toBe(0);
  });

  it('publishes dead letters if a node lags for too long, and finds the trees afterwards', async () => {
    lag();
    start({ lookupRetryMs: 30 });
    await ingest.until(() => ingest.bus.slots.some(({ deadLetters }) => deadLetters.length > 0));
    createAccounts();
    ingest.node.accountLag = 0;
    await untilAllPublished();
    const { slots } = ingest.bus;
    const [deadLetter] = slots.flatMap(({ deadLetters }) => deadLetters);
    expect(deadLetter.reasons[0]).toMatch(
      /^tree account \w+ could not be read: getMultipleAccounts: Minimum context slot has not been reached/,
    );
    expect(slots.at(-1)?.deadLetters).toEqual([]);
    expect(new Set(slots.flatMap(({ trees }) => trees.map(keyOfTree))).size).toBeGreaterThan(0);
    expect(await ingest.valueOf('fresnel_ingest_foreign_events_total')).toBe(0);
  });

  it('drops and counts the events of accounts that are not trees', async () => {
    start();
    await untilAllPublished();
    const events = ingest.bus.slots.flatMap(({ transactions }) => transactions.flatMap((each) => each.events));
    expect(ingest.bus.slots.flatMap(({ trees, deadLetters }) => [...trees, ...deadLetters])).toEqual([]);
    const foreign = events.filter((event) => treeAccountsOf(event).length > 0);
    expect(await ingest.valueOf('fresnel_ingest_foreign_events_total')).toBe(foreign.length);
    expect(foreign.length).toBeGreaterThan(5);
  });
});
