import { LIVE_PROGRAMS } from '@fresnel/domain/events';
import { type Pubkey, toBase58, toPubkey, toSlot, ZERO_PUBKEY } from '@fresnel/domain/primitives';
import { isAddressTree, TREE_HEADER_BYTES, type TreeInfo } from '@fresnel/domain/trees';
import { generatedTrees } from '@fresnel/ledger-generator';
import { createTestRpc } from '@fresnel/testing/block-sources';
import { encodeQueueAccount, encodeTreeAccount, FakeNode, type Fault } from '@fresnel/testing/chain';
import { captureLog, type LogLine } from '@fresnel/testing/generic';
import { RpcTreeSource } from './rpc.tree-source';
import { SolanaRpc } from './solana-rpc';

const { accountCompression, lightSystem } = LIVE_PROGRAMS;
const TREES = generatedTrees();
const [STATE_V1, , STATE_V2, , ADDRESS_V1, ADDRESS_V2] = TREES;
const treeOwner = ADDRESS_V1.owner ?? ZERO_PUBKEY;
const TIP = toSlot(777);
const keyAt = (byte: number): Pubkey => toPubkey(Buffer.alloc(32, byte));

/** A tree as the source reads it at slot 777: with a root only for address trees. */
function asRead(tree: TreeInfo): TreeInfo {
  const root = isAddressTree(tree) ? tree.observed.root : null;
  return { ...tree, observed: { ...tree.observed, slot: TIP, root } };
}

const byType = (a: TreeInfo, b: TreeInfo) => toBase58(a.tree).localeCompare(toBase58(b.tree));

describe('RpcTreeSource', () => {
  const { signal } = new AbortController();
  let node: FakeNode;
  let source: RpcTreeSource;
  let lines: LogLine[];

  beforeEach(async () => {
    node = await FakeNode.start();
    node.tip = TIP;
    for (const tree of TREES) addTree(tree);
    const log = captureLog();
    lines = log.lines;
    source = new RpcTreeSource(createTestRpc(node).rpc, { accountCompression, treeOwner }, log.logger);
  });
  afterEach(() => node.close());

  function addTree(tree: TreeInfo, owner: Pubkey = accountCompression): void {
    node.accounts.set(tree.tree, { owner, data: encodeTreeAccount(tree) });
    if (!tree.queue.equals(tree.tree)) node.accounts.set(tree.queue, { owner, data: encodeQueueAccount(tree) });
  }

  describe('with two endpoints', () => {
    let lacking: FakeNode;
    let pair: RpcTreeSource;
    const lookup = { accounts: [STATE_V1.tree, ADDRESS_V1.queue, keyAt(8)], minContextSlot: TIP, retryForMs: 0 };
    beforeEach(async () => {
      lacking = await FakeNode.start();
      lacking.tip = TIP;
      const { rpc } = createTestRpc(lacking, node);
      pair = new RpcTreeSource(rpc, { accountCompression, treeOwner }, captureLog().logger);
    });
    afterEach(() => lacking.close());

    it('finds trees that the first one lacks', async () => {
      const { trees, unread } = await pair.findTrees(lookup, signal);
      expect(trees.sort(byType)).toEqual([STATE_V1, ADDRESS_V1].map(asRead).sort(byType));
      expect(unread).toEqual([]);
    });

    it('finds none if the other one does not answer either', async () => {
      node.fail({ kind: 'status', status: 503 }, { times: Infinity });
      expect(await pair.findTrees(lookup, signal)).toEqual({ trees: [], unread: [], slot: TIP });
    });
  });

  describe('listTrees', () => {
    it('returns every tree with the values of its account, and the roots of address trees', async () => {
      const trees = await source.listTrees(TIP, signal);
      expect(trees.sort(byType)).toEqual(TREES.map(asRead).sort(byType));
      expect(lines).toEqual([]);
    });

    it('reads numbers exactly', async () => {
      const observed = {
        ...ADDRESS_V2.observed,
        seq: 2n ** 53n + 1n,
        nextIndex: 2n ** 64n - 1n,
        queueEnd: 2n ** 60n + 3n,
      };
      addTree({ ...ADDRESS_V2, observed });
      const tree = (await source.listTrees(TIP, signal)).find(({ type }) => type === 'addressV2');
      expect(tree).toEqual(asRead({ ...ADDRESS_V2, observed }));
    });

    it('requests only the headers of accounts with the right type and owner', async () => {
      await source.listTrees(TIP, signal);
      const owner = toBase58(treeOwner);
      const asked = node.requestsOf('getProgramAccounts').map(({ params }) => params);
      expect(asked).toHaveLength(3);
      for (const [program, config] of asked) {
        expect(program).toBe(toBase58(accountCompression));
        expect(config).toMatchObject({
          commitment: 'confirmed',
          encoding: 'base64',
          withContext: true,
          dataSlice: { offset: 0, length: TREE_HEADER_BYTES },
          filters: [{ memcmp: { offset: 0 } }, { memcmp: { bytes: owner } }],
        });
      }
    });

    it('ignores queues, trees of other owners and programs, and accounts of unknown types', async () => {
      addTree({ ...STATE_V1, tree: keyAt(1), queue: keyAt(2), owner: keyAt(9) });
      addTree({ ...ADDRESS_V2, tree: keyAt(3), queue: keyAt(3), owner: keyAt(9) });
      addTree({ ...STATE_V2, tree: keyAt(4), queue: keyAt(5) }, lightSystem);
      const unknownType = encodeTreeAccount(STATE_V2);
      unknownType.writeBigUInt64LE(9n, 8);
      node.accounts.set(keyAt(6), { owner: accountCompression, data: unknownType });
      expect((await source.listTrees(TIP, signal)).sort(byType)).toEqual(TREES.map(asRead).sort(byType));
      expect(lines).toEqual([]);
    });

    it('ignores a tree that cannot be parsed, with a warning that names it', async () => {
      const broken = encodeTreeAccount(STATE_V2);
      broken.writeUInt32LE(0, 252);
      node.accounts.set(keyAt(7), { owner: accountCompression, data: broken });
      expect(await source.listTrees(TIP, signal)).toHaveLength(TREES.length);
      const reason = expect.stringContaining('with 0 roots');
      expect(lines).toMatchObject([{ level: 'warn', account: toBase58(keyAt(7)), reason }]);
    });

    it.each<[string, boolean, Fault]>([
      ['does not index them', false, { kind: 'error', code: -32010, message: 'excluded' }],
      ['does not know the method', false, { kind: 'error', code: -32601, message: 'Method not found' }],
      ['refuses the method', false, { kind: 'status', status: 403 }],
      ['is behind', true, { kind: 'error', code: -32016, message: 'Minimum context slot has not been reached' }],
      ['is away', true, { kind: 'status', status: 503 }],
    ])('throws, after a few attempts, if the node %s', async (_, isRetryable, fault) => {
      node.fail(fault, { method: 'getProgramAccounts', times: 99 });
      const message = expect.stringContaining('TREES_FILE');
      const expected = { code: 'incomplete-trees', isRetryable, message };
      await expect(source.listTrees(TIP, signal)).rejects.toMatchObject(expected);
      expect(lines).toMatchObject([{ level: 'warn', msg: 'the node does not list trees' }]);
      expect(node.requestsOf('getProgramAccounts').length).toBeLessThanOrEqual(18);
    });

    it('retries a few times', async () => {
      node.fail({ kind: 'status', status: 503 }, { method: 'getProgramAccounts', times: 4 });
      expect(await source.listTrees(TIP, signal)).toHaveLength(TREES.length);
    });

    it('throws the reason of the signal when it aborts', async () => {
      const stop = new AbortController();
      node.fail({ kind: 'silence' }, { method: 'getProgramAccounts', times: 99 });
      const listing = source.listTrees(TIP, stop.signal);
      await node.waitForRequest('getProgramAccounts');
      stop.abort(new Error('enough'));
      await expect(listing).rejects.toThrow('enough');
      expect(lines).toEqual([]);
    });
  });

  describe('findTrees', () => {
    const find = (accounts: readonly Pubkey[], retryForMs = Infinity) =>
      source.findTrees({ accounts, minContextSlot: TIP, retryForMs }, signal);
    const foundOnly = (...trees: TreeInfo[]) => ({ trees: trees.map(asRead), unread: [], slot: TIP });
    const failAccounts = (fault: Fault) => {
      node.fail(fault, { method: 'getMultipleAccounts', times: 9_999 });
    };

    it.each(TREES.map((tree) => [tree.type, tree] as const))('finds a tree by its own key: %s', async (_, tree) => {
      expect(await find([tree.tree])).toEqual(foundOnly(tree));
    });

    it.each(TREES.map((tree) => [tree.type, tree] as const))('finds a tree by its queue: %s', async (_, tree) => {
      expect(await find([tree.queue])).toEqual(foundOnly(tree));
    });

    it('finds several trees in batches of accounts', async () => {
      const otherAccounts = Array.from({ length: 230 }, (__, at) => toPubkey(Buffer.alloc(32, `not a tree ${at}`)));
      const { trees } = await find([...otherAccounts, ...TREES.map(({ tree }) => tree)]);
      expect(trees.sort(byType)).toEqual(TREES.map(asRead).sort(byType));
      const sizes = node.requestsOf('getMultipleAccounts').map(({ params }) => (params[0] as string[]).length);
      expect(sizes.slice(0, 3)).toEqual([100, 100, 36]);
    });

    it('sends no request for no keys', async () => {
      expect(await find([])).toEqual(foundOnly());
      expect(node.requests).toEqual([]);
    });

    it.each([
      ['does not exist', null],
      ['is empty', { owner: accountCompression, data: Buffer.alloc(0) }],
      ['has another type', { owner: accountCompression, data: Buffer.alloc(1000, 7) }],
      ['belongs to another program', { owner: lightSystem, data: encodeTreeAccount(STATE_V2) }],
      ['has another owner', { owner: accountCompression, data: encodeTreeAccount({ ...STATE_V1, owner: keyAt(9) }) }],
      [
        'is a queue of a missing tree',
        { owner: accountCompression, data: encodeQueueAccount({ ...STATE_V1, tree: keyAt(8) }) },
      ],
      ['is a queue of another program', { owner: lightSystem, data: encodeQueueAccount(STATE_V1) }],
    ])('finds nothing if an account %s', async (_, account) => {
      if (account) node.accounts.set(keyAt(1), account);
      expect(await find([keyAt(1)])).toEqual(foundOnly());
      expect(lines).toEqual([]);
    });

    it('reports an account with the type and owner of a tree that it cannot parse, and its queue', async () => {
      const data = encodeTreeAccount(STATE_V1).subarray(0, 700);
      const queue = encodeQueueAccount({ ...STATE_V1, tree: keyAt(1) });
      node.accounts.set(keyAt(1), { owner: accountCompression, data });
      node.accounts.set(keyAt(2), { owner: accountCompression, data: queue });
      const { trees, unread } = await find([keyAt(1), keyAt(2), keyAt(3)]);
      expect(trees).toEqual([]);
      const reason = expect.stringContaining('bytes');
      expect(unread).toEqual([
        { account: keyAt(1), reason },
        { account: keyAt(2), reason },
      ]);
      expect(lines.every(({ level, account }) => level === 'warn' && account === toBase58(keyAt(1)))).toBe(true);
    });

    it('ignores an account of another owner that it cannot parse', async () => {
      const data = encodeTreeAccount({ ...STATE_V1, owner: keyAt(9) }).subarray(0, 700);
      node.accounts.set(keyAt(1), { owner: accountCompression, data });
      expect(await find([keyAt(1)])).toEqual(foundOnly());
    });

    it.each([
      ['rejects requests', false],
      ['answers as of an older slot', true],
    ])('asks until the node has reached the slot, if a node that lags %s', async (_, ignoresMinContextSlot) => {
      Object.assign(node, { accountLag: 2, ignoresMinContextSlot });
      const finding = find([STATE_V1.tree, keyAt(1)]);
      await node.waitForRequest('getMultipleAccounts', 3);
      node.accountLag = 0;
      expect(await finding).toEqual(foundOnly(STATE_V1));
    });

    it('asks another endpoint if a node lags', async () => {
      node.accountLag = 2;
      const other = await FakeNode.start();
      Object.assign(other, { tip: TIP, accounts: node.accounts });
      const { rpc } = createTestRpc(node, other);
      const pair = new RpcTreeSource(rpc, { accountCompression, treeOwner }, captureLog().logger);
      const lookup = { accounts: [STATE_V1.tree], minContextSlot: TIP, retryForMs: Infinity };
      expect(await pair.findTrees(lookup, signal)).toEqual(foundOnly(STATE_V1));
      expect([node, other].map((each) => each.requestsOf('getMultipleAccounts').length)).toEqual([1, 1]);
      await other.close();
    });

    it('returns the slot of the oldest answer, as of which the other accounts are not trees', async () => {
      const lookup = { accounts: [keyAt(1)], minContextSlot: toSlot(700), retryForMs: Infinity };
      expect((await source.findTrees(lookup, signal)).slot).toBe(TIP);
    });

    it.each([
      ['lags', () => (node.accountLag = 1), 'Minimum context slot has not been reached (-32016)'],
      [
        'is overloaded',
        () => {
          failAccounts({ kind: 'status', status: 429 });
        },
        'HTTP 429',
      ],
      [
        'fails',
        () => {
          failAccounts({ kind: 'status', status: 502 });
        },
        'HTTP 502',
      ],
      [
        'does not respond',
        () => {
          failAccounts({ kind: 'silence' });
        },
        'no response within 20 ms',
      ],
    ])('reports accounts as unread if the node %s for too long', async (_, breakNode, reason) => {
      breakNode();
      // A busy machine may need longer than that for a response: only the node that never responds gets a short timeout.
      const timeoutMs = reason.startsWith('no response') ? 20 : 10_000;
      const options = { urls: [node.url], timeoutMs, backoff: { firstMs: 1, longestMs: 4 } };
      const log = captureLog();
      const impatient = new SolanaRpc(options, log.logger);
      source = new RpcTreeSource(impatient, { accountCompression, treeOwner }, log.logger);
      const { trees, unread } = await find([STATE_V1.tree, keyAt(1)], 300);
      expect(trees).toEqual([]);
      expect(unread).toEqual(
        [STATE_V1.tree, keyAt(1)].map((account) => ({ account, reason: `getMultipleAccounts: ${reason}` })),
      );
      expect(node.requestsOf('getMultipleAccounts').length).toBeGreaterThan(1);
      expect(log.lines.at(-1)).toMatchObject({ level: 'warn', accounts: 2 });
    });

    it('throws if the node does not have the method', async () => {
      failAccounts({ kind: 'error', code: -32601, message: 'Method not found' });
      await expect(find([STATE_V1.tree])).rejects.toThrow('Method not found');
    });

    it('retries until it receives a valid response', async () => {
      node.fail({ kind: 'status', status: 503 }, { method: 'getMultipleAccounts', times: 9 });
      node.fail({ kind: 'body', text: '{"id":10,"result":{"value":[]}}' }, { method: 'getMultipleAccounts' });
      expect(await find([STATE_V1.tree])).toEqual(foundOnly(STATE_V1));
    });
  });
});
