import { blockRefOf } from '@fresnel/domain/chain';
import { blockhashAt, blockLinkAt } from '@fresnel/testing/chain';
import { type ProverClient, TreeNotServableError, UnknownTreeError } from '@fresnel/adapters/prover-client';
import { be32, type Hash, type Pubkey, toBase58, toHash, toPubkey, ZERO_HASH } from '@fresnel/domain/primitives';
import { RpcChecker, startTestGateway, type TestGateway, UNEXPECTED_PROVER, packPaths } from '@fresnel/testing/gateway';
import {
  createTestDatabase,
  insertAccount,
  insertTree,
  setIndexedSlot,
  type TestDatabase,
  insertTreeBranch,
} from '@fresnel/testing/store';

const SLOT = 500;
/** A block that the trees have before the tables. */
const AHEAD = blockRefOf(blockLinkAt(SLOT + 3));
const key = (byte: number) => toPubkey(Buffer.alloc(32, byte));
const hash = (byte: number) => toHash(Buffer.alloc(32, byte));
const text = (bytes: Buffer) => toBase58(bytes);

const V1_TREE = { tree: key(0x31), queue: key(0x32), treeType: 1 };
const V2_TREE = { tree: key(0x33), queue: key(0x34), treeType: 3, appendedLeaves: 10 };
const BROKEN_TREE = { tree: key(0x35), queue: key(0x36), treeType: 1 };

const IN_V1 = hash(1);
const IN_V2 = hash(2);
const QUEUED = hash(3);
const SPENT = hash(4);
const NULLIFIED = hash(5);
const LATER = hash(6);
const IN_BROKEN = hash(7);
const UNKNOWN = hash(0xee);

const SINGLE = ['getCompressedAccountProof', 'getCompressedAccountProofV2'];
const MULTIPLE = ['getMultipleCompressedAccountProofs', 'getMultipleCompressedAccountProofsV2'];

/** A prover whose trees have the leaves of the accounts, but one, which is nullified. The V1 tree is ahead of the tables. */
class LeafProver implements ProverClient {
  readonly proveNewAddresses = UNEXPECTED_PROVER.proveNewAddresses;
  readonly findQueues = UNEXPECTED_PROVER.findQueues;
  readonly findQueueElements = UNEXPECTED_PROVER.findQueueElements;
  readonly calls: { tree: string; leafIndices: readonly number[]; minSlot: number }[] = [];

  proveLeaves(tree: Pubkey, leafIndices: readonly number[], minSlot: number) {
    if (tree.equals(BROKEN_TREE.tree)) return Promise.reject(new TreeNotServableError('The tree is being rebuilt'));
    this.calls.push({ tree: text(tree), leafIndices, minSlot });
    const isV1 = tree.equals(V1_TREE.tree);
    return Promise.resolve({
      slot: isV1 ? AHEAD.slot : SLOT - 20,
      blockhash: isV1 ? AHEAD.blockhash : blockhashAt(SLOT - 20),
      root: be32(isV1 ? 100 : 200),
      rootSeq: 2n ** 64n - 1n,
      nextIndex: 10n,
      leaves: leafIndices.map((leafIndex) => (leafIndex === 5 ? ZERO_HASH : hash(leafIndex))),
      paths: packPaths(
        2,
        leafIndices.map((leafIndex) => ({ leafIndex, siblings: [be32(leafIndex + 50), be32(7)] })),
      ),
    });
  }
}

describe('proofs of accounts', () => {
  let database: TestDatabase;
  let gateway: TestGateway;
  const prover = new LeafProver();
  const rpc = new RpcChecker(() => gateway.url);

  beforeAll(async () => {
    database = await createTestDatabase();
    for (const tree of [V1_TREE, V2_TREE, BROKEN_TREE]) await insertTree(database.dataSource, tree);
    const accounts: [Hash, typeof V1_TREE, object][] = [
      [IN_V1, V1_TREE, {}],
      [IN_V2, V2_TREE, {}],
      [QUEUED, V2_TREE, { leaf_index: 30 }],
      [SPENT, V1_TREE, { spent_slot: 20 }],
      [NULLIFIED, V1_TREE, { spent_slot: 20 }],
      [LATER, V1_TREE, { slot_created: SLOT + 1 }],
      [IN_BROKEN, BROKEN_TREE, {}],
    ];
    for (const [account, { tree }, changes] of accounts) {
      const row = { hash: account, tree, leaf_index: account[0], owner: key(0x41), lamports: 1, slot_created: 10 };
      await insertAccount(database.dataSource, { ...row, ...changes });
    }
    await setIndexedSlot(database.dataSource, SLOT, { blockhash: blockhashAt(SLOT) });
    await insertTreeBranch(database.dataSource, 0, [blockRefOf(blockLinkAt(SLOT)), AHEAD]);
    gateway = await startTestGateway({ databaseUrl: database.url, prover });
  });
  beforeEach(() => prover.calls.splice(0));
  afterAll(async () => {
    await gateway.close();
    await database.drop();
  });

  const v1Proof = (account: Hash) => ({
    hash: text(account),
    leafIndex: account[0],
    proof: [text(be32(account[0] + 50)), text(be32(7))],
    root: text(be32(100)),
    rootSeq: Number(2n ** 64n - 1n),
  });
  const contextOf = ({ tree, queue, treeType }: typeof V1_TREE) => ({
    treeType,
    tree: text(tree),
    queue: text(queue),
    cpiContext: null,
  });
  const byIndex = {
    hash: text(QUEUED),
    leafIndex: 30,
    proof: [],
    root: text(ZERO_HASH),
    rootSeq: 0,
    proveByIndex: true,
    treeContext: contextOf(V2_TREE),
  };

  it.each([
    ['an unspent account', IN_V1],
    ['an account that is spent, but not nullified', SPENT],
  ])('exist for %s', async (_, account) => {
    const params = { hash: text(account) };
    const value = { ...v1Proof(account), merkleTree: text(V1_TREE.tree) };
    expect(await rpc.result(SINGLE[0], params)).toEqual({ context: { slot: SLOT + 3 }, value });
    const v2 = { ...v1Proof(account), proveByIndex: false, treeContext: contextOf(V1_TREE) };
    expect(await rpc.result(SINGLE[1], params)).toEqual({ context: { slot: SLOT + 3 }, value: v2 });
  });

  it('of an account in an output queue have no path, and no prover is asked', async () => {
    const context = { slot: SLOT };
    expect(await rpc.result(SINGLE[1], { hash: text(QUEUED) })).toEqual({ context, value: byIndex });
    expect(await rpc.result(MULTIPLE[1], [text(QUEUED)])).toEqual({ context, value: [byIndex] });
    expect(prover.calls).toEqual([]);
  });

  it('are in the order of the request, duplicates included, with one call for each tree', async () => {
    const hashes = [IN_V2, IN_V1, SPENT, IN_V2, IN_V1].map(text);
    const { context, value } = (await rpc.result(MULTIPLE[0], hashes)) as {
      context: unknown;
      value: { hash: string }[];
    };
    expect(value.map((proof) => proof.hash)).toEqual(hashes);
    // The V2 tree is behind the indexed slot, which means that it has not changed since.
    expect(context).toEqual({ slot: SLOT });
    // Both URL forms are called.
    const calls = prover.calls.filter(({ tree }) => tree === text(V1_TREE.tree));
    expect(calls.map(({ leafIndices }) => leafIndices)).toEqual([
      [1, 4],
      [1, 4],
    ]);
    expect(new Set(prover.calls.map(({ tree }) => tree)).size).toBe(2);
  });

  it('of queued and appended accounts have the lowest slot', async () => {
    const { context, value } = (await rpc.result(MULTIPLE[1], [IN_V1, QUEUED].map(text))) as Record<string, unknown>;
    expect(context).toEqual({ slot: SLOT });
    expect(value).toEqual([{ ...v1Proof(IN_V1), proveByIndex: false, treeContext: contextOf(V1_TREE) }, byIndex]);
  });

  it.each(MULTIPLE)('%s accepts no hashes, and as many as a request may have', async (method) => {
    expect(await rpc.result(method, [])).toEqual({ context: { slot: SLOT }, value: [] });
    const { value } = (await rpc.result(method, Array(1000).fill(text(IN_V1)))) as { value: unknown[] };
    expect(value).toHaveLength(1000);
    expect(prover.calls[0].leafIndices).toEqual([1]);
  });

  describe.each([...SINGLE, ...MULTIPLE])('%s refuses', (method) => {
    const paramsOf = (account: Hash) =>
      SINGLE.includes(method) ? { hash: text(account) } : [text(IN_V1), text(account)];

    it.each([
      ['an unknown hash', UNKNOWN, `No account with the hash ${text(UNKNOWN)} is known`],
      ['an account that is not indexed yet', LATER, `No account with the hash ${text(LATER)} is known`],
      ['a nullified account', NULLIFIED, 'A leaf was nullified: read the accounts again'],
      ['an account of an unservable tree', IN_BROKEN, 'The tree is being rebuilt'],
    ])('%s', async (_, account, message) => {
      expect(await rpc.errorOf(method, paramsOf(account))).toEqual({ code: -32000, message });
    });

    it.each([[undefined], [null], ['x'], [[1]], [{ hash: 'abc' }], [{ hash: text(IN_V1), other: 1 }], [['abc']]])(
      'malformed params %j',
      async (params) => {
        expect(await rpc.errorOf(method, params)).toMatchObject({ code: -32602 });
      },
    );
  });

  it.each([SINGLE[0], MULTIPLE[0]])('%s refuses an account in an output queue', async (method) => {
    const params = SINGLE.includes(method) ? { hash: text(QUEUED) } : [text(QUEUED)];
    const message = `The account ${text(QUEUED)} is not in its tree yet: it is queued`;
    expect(await rpc.errorOf(method, params)).toEqual({ code: -32000, message });
    expect(prover.calls).toEqual([]);
  });

  it.each(MULTIPLE)('%s refuses too many hashes', async (method) => {
    const message = 'Invalid params: params must contain at most 1000 hashes, not 1001';
    expect(await rpc.errorOf(method, Array(1001).fill(text(IN_V1)))).toEqual({ code: -32602, message });
  });

  it('name a tree that no prover has', async () => {
    const lost = await startTestGateway({
      databaseUrl: database.url,
      prover: { ...UNEXPECTED_PROVER, proveLeaves: (tree) => Promise.reject(new UnknownTreeError(tree)) },
    });
    const message = `Tree ${text(V1_TREE.tree)} is not known`;
    expect(await new RpcChecker(() => lost.url).errorOf(SINGLE[0], { hash: text(IN_V1) })).toEqual({
      code: -32000,
      message,
    });
    await lost.close();
  });

  it('are made again if the prover is ahead of the tables', async () => {
    let calls = 0;
    const racing: ProverClient = {
      ...UNEXPECTED_PROVER,
      proveLeaves: async (tree, leafIndices, minSlot) => {
        const proofs = await prover.proveLeaves(tree, leafIndices, minSlot);
        const isStale = calls++ === 0;
        return isStale ? { ...proofs, leaves: proofs.leaves.map(() => ZERO_HASH) } : proofs;
      },
    };
    const ahead = await startTestGateway({ databaseUrl: database.url, prover: racing });
    const { value } = (await new RpcChecker(() => ahead.url).result(SINGLE[0], { hash: text(IN_V1) })) as {
      value: { hash: string };
    };
    expect(value.hash).toBe(text(IN_V1));
    expect(calls).toBeGreaterThan(2);
    await ahead.close();
  });
});
