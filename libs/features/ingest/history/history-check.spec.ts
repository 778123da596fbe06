import { IncompleteTreesError } from '@fresnel/adapters/chain';
import { type HistoryDeadLetter } from '@fresnel/adapters/store-write';
import { type Hash, keyOf, type Pubkey, toSlot } from '@fresnel/domain/primitives';
import { NO_CHANGES, NO_POSITIONS, type TreeHead, type TreeInfo } from '@fresnel/domain/trees';
import { generatedTrees, generateLedger } from '@fresnel/ledger-generator';
import { encodeNullifierQueueAccount, encodeQueueAccount, encodeTreeAccount } from '@fresnel/testing/chain';
import { captureLog } from '@fresnel/testing/generic';
import { naming, readHistoryLedger } from '@fresnel/testing/history';
import { testHash } from '@fresnel/testing/slots';
import { HistoryCheck, type HistoryCheckParts } from './history-check';

const [V1, , V2] = generatedTrees();
const ROOT = testHash(7);
const SLOTS = [toSlot(100), toSlot(200)] as const;
const TIP = toSlot(260);
const POSITIONS = { ...NO_POSITIONS, seq: 9n };
const never = new AbortController().signal;

const onChain = (info: TreeInfo, observed: Partial<TreeInfo['observed']> = {}): TreeInfo => ({
  ...info,
  observed: { ...info.observed, slot: TIP, seq: 9n, root: ROOT, ...observed },
});
const headOf = (info: TreeInfo): TreeHead => {
  const rest = { inputQueueStart: 0n, quarantineReason: null, changes: NO_CHANGES, untrusted: null };
  return { info, ...POSITIONS, nextIndex: 3, root: ROOT, seen: POSITIONS, ...rest };
};

describe('the comparison of history with the chain', () => {
  let listed: TreeInfo[] | IncompleteTreesError;
  /** Trees that the node gives, and does not list. */
  let known: TreeInfo[];
  let configured: TreeInfo[];
  let unread: Pubkey[];
  let heads: TreeHead[];
  let accounts: Map<string, Buffer>;
  let letters: HistoryDeadLetter[];
  let unspentNullified: { tree: Pubkey; slot: number }[];
  let unspent: Map<string, number>;
  let around: { before: number | null; after: number | null };
  let indexed: number[];
  beforeEach(() => {
    [listed, known, heads] = [[onChain(V1), onChain(V2)], [], [headOf(V1), headOf(V2)]];
    [configured, unread] = [[], []];
    [letters, unspentNullified, unspent] = [[], [], new Map()];
    around = { before: null, after: null };
    indexed = [Number(TIP)];
    accounts = new Map([
      [keyOf(V1.queue), encodeNullifierQueueAccount(V1, [])],
      [keyOf(V2.queue), encodeQueueAccount(V2)],
    ]);
  });

  async function run(): Promise<string[]> {
    const trees = listed instanceof Error ? known : [...listed, ...known];
    const parts = {
      treeSource: {
        listTrees: () => (listed instanceof Error ? Promise.reject(listed) : Promise.resolve(listed)),
        findTrees: (lookup: { accounts: readonly Pubkey[] }) =>
          Promise.resolve({
            trees: known.filter(({ tree }) => lookup.accounts.some((account) => account.equals(tree))),
            unread: unread.map((account) => ({ account, reason: 'HTTP 502' })),
            slot: TIP,
          }),
      },
      configured,
      readAccount: (account: Pubkey) => {
        const tree = trees.find((info) => info.tree.equals(account));
        const data = tree ? encodeTreeAccount(tree) : (accounts.get(keyOf(account)) ?? null);
        return Promise.resolve({ data, slot: TIP });
      },
      trees: {
        listHeads: () => Promise.resolve(heads),
        listPartitions: () =>
          Promise.resolve(new Map([[0, { slot: toSlot(indexed.length > 1 ? (indexed.shift() ?? 0) : indexed[0]) }]])),
      },
      tables: { findIndexEnd: () => Promise.resolve({ indexed: { slot: TIP } }) },
      history: {
        findUnspentNullified: () => Promise.resolve(unspentNullified),
        findUnspentAmong: (hashes: readonly Hash[]) => {
          const slots = hashes.flatMap((hash) => unspent.get(keyOf(hash)) ?? []);
          return Promise.resolve(slots.length === 0 ? null : toSlot(Math.min(...slots)));
        },
        findSlotsAround: () => Promise.resolve(around),
        listDeadLetters: () => Promise.resolve(letters),
      },
      logger: captureLog().logger,
    };
    const findings = await new HistoryCheck(parts as unknown as HistoryCheckParts).run(SLOTS, never);
    return findings.map(
      ({ tree, reason, slots }) => `${tree.equals(V1.tree) ? 'V1' : 'V2'} ${reason} ${slots.join('-')}`,
    );
  }

  it('finds nothing if the trees are equal', async () => {
    expect(await run()).toEqual([]);
  });

  it('waits until the trees have the slot of the accounts', async () => {
    indexed = [150, 259, 260];
    expect(await run()).toEqual([]);
    expect(indexed).toEqual([260]);
  });

  describe('with a node that does not list all trees', () => {
    it('fails if it lacks one that the index has, or that cannot be read', async () => {
      [listed, known] = [[onChain(V1)], [onChain(V2)]];
      await expect(run()).rejects.toMatchObject({ code: 'incomplete-trees', isRetryable: true });
      [known, unread] = [[], [V2.tree]];
      await expect(run()).rejects.toMatchObject({ code: 'incomplete-trees', isRetryable: true });
    });

    it('fails if it lists none, unless it never does and the configuration has a list', async () => {
      [known, configured] = [
        [onChain(V1), onChain(V2, { seq: 11n })],
        [V1, V2],
      ];
      listed = new IncompleteTreesError('HTTP 503', true);
      await expect(run()).rejects.toBe(listed);
      listed = new IncompleteTreesError('no such method', false);
      expect(await run()).toEqual(['V2 operations-missing 100-200']);
      configured = [];
      await expect(run()).rejects.toBe(listed);
    });

    it('finds a tree of the configuration that the index lacks', async () => {
      [known, configured, heads] = [[onChain(V1), onChain(V2)], [V1, V2], [headOf(V2)]];
      listed = new IncompleteTreesError('no such method', false);
      expect(await run()).toEqual(['V1 tree-missing 100-200']);
    });
  });

  it('finds a tree that the index lacks', async () => {
    heads = [headOf(V2)];
    expect(await run()).toEqual(['V1 tree-missing 100-200']);
  });

  it('finds operations of a state tree between the accounts around them', async () => {
    listed = [onChain(V1, { seq: 11n }), onChain(V2)];
    around = { before: 140, after: 160 };
    expect(await run()).toEqual(['V1 operations-missing 140-160']);
    around = { before: 140, after: 230 };
    expect(await run()).toEqual(['V1 operations-missing 140-200']);
  });

  it('knows only the first slot of operations of a V2 tree, and not that if spends are missing', async () => {
    around = { before: 140, after: 160 };
    listed = [onChain(V1), onChain(V2, { seq: 11n })];
    expect(await run()).toEqual(['V2 operations-missing 140-200']);
    listed = [onChain(V1), onChain(V2, { inputQueueEnd: 1n })];
    expect(await run()).toEqual(['V2 operations-missing 100-200']);
  });

  it('finds outputs that wait in the output queue of the chain', async () => {
    accounts.set(keyOf(V2.queue), encodeQueueAccount(V2, 5n));
    expect(await run()).toEqual(['V2 operations-missing 100-200']);
  });

  describe('of spends that leave no hole', () => {
    const [spent, other] = [testHash(1), testHash(2)];

    it('finds one whose account waits in the nullifier queue', async () => {
      accounts.set(keyOf(V1.queue), encodeNullifierQueueAccount(V1, [other, spent]));
      expect(await run()).toEqual([]);
      unspent.set(keyOf(spent), 130).set(keyOf(other), 120);
      expect(await run()).toEqual(['V1 spend-missing 120-200']);
    });

    it('does not mind accounts that were nullified', async () => {
      accounts.set(keyOf(V1.queue), encodeNullifierQueueAccount(V1, [], [spent]));
      unspent.set(keyOf(spent), 130);
      expect(await run()).toEqual([]);
    });

    it('finds one whose leaf is nullified', async () => {
      unspentNullified = [{ tree: V1.tree, slot: 170 }];
      accounts.set(keyOf(V1.queue), encodeNullifierQueueAccount(V1, [spent]));
      unspent.set(keyOf(spent), 130);
      expect(await run()).toEqual(['V1 spend-missing 130-200']);
    });
  });

  it('finds transactions that are lost in part, or whose place is unknown, by the trees that they name', async () => {
    const ledger = readHistoryLedger([...generateLedger({ seed: 31, slots: 40 })]);
    const ofV1 = ledger.flatMap((block) => block.transactions).filter(naming(V1.tree, V1.queue));
    const only = ofV1.filter((each) => !naming(V2.tree, V2.queue)(each) && each.loadedKeys.length === 0);
    const [json, later] = only.map((each) => JSON.stringify({ ...(JSON.parse(each.json) as object), meta: null }));
    const reasons = ['transaction: no meta'];
    letters = [
      { slot: toSlot(150), reasons, json },
      { slot: toSlot(160), reasons, json: later },
      { slot: toSlot(155), reasons: ['order-unknown: equal indexes'], json },
      { slot: toSlot(170), reasons: ['unknown-instruction: of a later version'], json },
    ];
    expect(await run()).toEqual(['V1 transaction-lost 150-160', 'V1 order-unknown 155-155']);
  });

  it('finds lost transactions whose accounts are lost too, by what is missing around them', async () => {
    letters = [{ slot: toSlot(150), reasons: ['transaction: no meta'], json: '{}' }];
    expect(await run()).toEqual([]);
    listed = [onChain(V1, { seq: 11n }), onChain(V2)];
    around = { before: 140, after: 160 };
    expect(await run()).toEqual(['V1 operations-missing 140-160', 'V1 transaction-lost 150-150']);
    around = { before: 155, after: 160 };
    expect(await run()).toEqual(['V1 operations-missing 155-160']);
  });
});
