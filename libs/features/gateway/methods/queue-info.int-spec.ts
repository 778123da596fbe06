import { blockRefOf } from '@fresnel/domain/chain';
import { blockhashAt, blockLinkAt } from '@fresnel/testing/chain';
import {
  type ProverClient,
  TreeBehindError,
  TreeNotServableError,
  type TreeQueues,
  UnknownTreeError,
} from '@fresnel/adapters/prover-client';
import { type Pubkey, toBase58, toPubkey, toSlot } from '@fresnel/domain/primitives';
import { RpcChecker, startTestGateway, type TestGateway, UNEXPECTED_PROVER } from '@fresnel/testing/gateway';
import {
  createTestDatabase,
  insertTree,
  setIndexedSlot,
  type TestDatabase,
  insertTreeBranch,
} from '@fresnel/testing/store';

const SLOT = 500;
/** A block that the trees have before the tables. */
const AHEAD = blockRefOf(blockLinkAt(SLOT + 3));
const key = (byte: number) => toPubkey(Buffer.alloc(32, byte));

const STATE_V2 = { tree: key(0x33), queue: key(0x34), treeType: 3 };
const ADDRESS_V2 = { tree: key(0x31), queue: key(0x31), treeType: 4 };
const STATE_V1 = { tree: key(0x35), queue: key(0x36), treeType: 1 };
const ORPHANED = { tree: key(0x37), queue: key(0x38), treeType: 3 };
const UNKNOWN = key(0x39);

const EMPTY = { start: 7n, end: 7n };

/** The address tree is ahead of the tables, the state tree has not changed for some slots. */
class QueueProver implements ProverClient {
  readonly proveNewAddresses = UNEXPECTED_PROVER.proveNewAddresses;
  readonly proveLeaves = UNEXPECTED_PROVER.proveLeaves;
  readonly findQueueElements = UNEXPECTED_PROVER.findQueueElements;
  failure: Error | null = null;
  stateQueues: Omit<TreeQueues, 'slot' | 'blockhash'> = { queue: EMPTY, inputQueue: EMPTY };

  findQueues(tree: Pubkey): Promise<TreeQueues> {
    if (this.failure) return Promise.reject(this.failure);
    if (tree.equals(STATE_V2.tree))
      return Promise.resolve({ slot: SLOT - 20, blockhash: blockhashAt(SLOT - 20), ...this.stateQueues });
    if (!tree.equals(ADDRESS_V2.tree)) return Promise.reject(new UnknownTreeError(tree));
    return Promise.resolve({
      ...AHEAD,
      queue: { start: 1n, end: 2n ** 64n - 1n },
      inputQueue: EMPTY,
    });
  }
}

describe('getQueueInfo', () => {
  let database: TestDatabase;
  let gateway: TestGateway;
  const prover = new QueueProver();
  const rpc = new RpcChecker(() => gateway.url);

  beforeAll(async () => {
    database = await createTestDatabase();
    for (const tree of [STATE_V2, ADDRESS_V2, STATE_V1, ORPHANED]) await insertTree(database.dataSource, tree);
    await setIndexedSlot(database.dataSource, SLOT, { blockhash: blockhashAt(SLOT) });
    await insertTreeBranch(database.dataSource, 0, [blockRefOf(blockLinkAt(SLOT)), AHEAD]);
    gateway = await startTestGateway({ databaseUrl: database.url, prover });
  });
  beforeEach(() => {
    prover.failure = null;
    prover.stateQueues = { queue: { start: 3n, end: 9n }, inputQueue: { start: 0n, end: 2n } };
  });
  afterAll(async () => {
    await gateway.close();
    await database.drop();
  });

  const ask = (...trees: Pubkey[]) => rpc.result('getQueueInfo', { trees: trees.map(toBase58) });
  const queueOf = ({ tree, queue }: typeof STATE_V2, queueType: number, queueSize: number) => ({
    tree: toBase58(tree),
    queue: toBase58(queue),
    queueType,
    queueSize,
  });
  const addressQueue = queueOf(ADDRESS_V2, 4, Number(2n ** 64n - 2n));
  const stateQueues = [queueOf(STATE_V2, 3, 2), queueOf(STATE_V2, 5, 6)];

  it('returns the queues of a tree, and the slot at which they are true', async () => {
    expect(await ask(STATE_V2.tree)).toEqual({ queues: stateQueues, slot: SLOT });
    expect(await ask(ADDRESS_V2.tree)).toEqual({ queues: [addressQueue], slot: SLOT + 3 });
  });

  it('lists empty queues', async () => {
    prover.stateQueues = { queue: EMPTY, inputQueue: EMPTY };
    const queues = [queueOf(STATE_V2, 3, 0), queueOf(STATE_V2, 5, 0)];
    expect(await ask(STATE_V2.tree)).toEqual({ queues, slot: SLOT });
  });

  it('lists each tree once, in the order of their keys, with the lowest slot', async () => {
    const all = { queues: [addressQueue, ...stateQueues], slot: SLOT };
    expect(await ask(STATE_V2.tree, ADDRESS_V2.tree, STATE_V2.tree)).toEqual(all);
    for (const params of [undefined, null, [], {}, { trees: null }]) {
      expect(await rpc.result('getQueueInfo', params)).toEqual(all);
    }
  });

  it('leaves out V1 trees, queues, and trees that the tables or the prover do not have', async () => {
    expect(await ask(STATE_V1.tree, STATE_V2.queue, UNKNOWN, ORPHANED.tree)).toEqual({ queues: [], slot: SLOT });
    expect(await ask()).toEqual({ queues: [], slot: SLOT });
  });

  it('accepts as many trees as a request may have, and refuses more', async () => {
    expect(await ask(...Array<Pubkey>(100).fill(STATE_V2.tree))).toEqual({ queues: stateQueues, slot: SLOT });
    const trees = Array<string>(101).fill(toBase58(STATE_V2.tree));
    const message = 'Invalid params: trees must contain at most 100 trees, not 101';
    expect(await rpc.errorOf('getQueueInfo', { trees })).toEqual({ code: -32602, message });
  });

  it.each([['x'], [[1]], [{ trees: 'x' }], [{ trees: [1] }], [{ trees: ['abc'] }], [{ tree: [] }]])(
    'refuses malformed params %j',
    async (params) => {
      expect(await rpc.errorOf('getQueueInfo', params)).toMatchObject({ code: -32602 });
    },
  );

  it('refuses an unservable tree, and fails if the prover is behind', async () => {
    const trees = [toBase58(STATE_V2.tree)];
    prover.failure = new TreeNotServableError('The tree is being rebuilt');
    expect(await rpc.errorOf('getQueueInfo', { trees })).toEqual({ code: -32000, message: prover.failure.message });
    prover.failure = new TreeBehindError(toSlot(1), toSlot(2));
    expect(await rpc.call('getQueueInfo', { trees })).toMatchObject({ status: 500, error: { code: -32603 } });
  });
});
