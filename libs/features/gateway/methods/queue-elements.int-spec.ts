import { gunzipSync } from 'node:zlib';
import { InMemoryTreeStore } from '@fresnel/adapters/tree-store';
import { poseidon } from '@fresnel/domain/poseidon';
import { type Hash, type Pubkey, toBase58, toPubkey, ZERO_HASH } from '@fresnel/domain/primitives';
import { type TreeUpdate } from '@fresnel/domain/state';
import { hashElement, nodesOnPaths, type TreeInfo } from '@fresnel/domain/trees';
import { blockLinkAt } from '@fresnel/testing/chain';
import { RpcChecker, startTestGateway, type TestGateway } from '@fresnel/testing/gateway';
import { parseExactJson, sendHttp } from '@fresnel/testing/generic';
import { TreeRecords } from '@fresnel/testing/messages';
import { TestProver } from '@fresnel/testing/prover';
import { createTestDatabase, setIndexedSlot, type TestDatabase } from '@fresnel/testing/store';
import { AddressTreeModel, StateTreeModel, testAddresses, testStateTree, V1, V2 } from '@fresnel/testing/trees';

const SLOT = 5;
const text = (hash: Hash | Pubkey) => toBase58(hash);
const chainOf = (values: readonly Hash[]) => text(values.reduce((chained, value) => poseidon([chained, value])));
const EMPTY_TREE: TreeInfo = { ...testStateTree(), tree: toPubkey(Buffer.alloc(32, 0x63)) };
const EMPTY_ADDRESS_TREE: TreeInfo = { ...V2, tree: toPubkey(Buffer.alloc(32, 0x64)) };
const QUARANTINED: TreeInfo = { ...testStateTree(), tree: toPubkey(Buffer.alloc(32, 0x65)) };
const UNKNOWN = toPubkey(Buffer.alloc(32, 0x66));
const one = { limit: 100, zkpBatchSize: 1 };

describe('getQueueElements', () => {
  let database: TestDatabase;
  let gateway: TestGateway;
  let prover: TestProver;
  const state = new StateTreeModel(poseidon);
  const addresses = new AddressTreeModel(V2, poseidon);
  const rpc = new RpcChecker(() => gateway.url);

  beforeAll(async () => {
    database = await createTestDatabase();
    await setIndexedSlot(database.dataSource, SLOT, { blockhash: blockLinkAt(SLOT).blockhash });
    prover = new TestProver(await InMemoryTreeStore.open(poseidon, null), poseidon);
    const other = (tree: TreeInfo, ...changes: TreeUpdate['changes']) => ({
      ...state.updateAt(SLOT, ...changes),
      tree,
    });
    const wrongBatch = {
      kind: 'append-batch' as const,
      seq: 1n,
      oldNextIndex: 1n,
      newNextIndex: 2n,
      newRoot: ZERO_HASH,
    };
    const updates = [
      // Leaf 1 is nullified before it is appended, leaves 3 and 5 after it. Leaves 4 to 11 wait in the output queue.
      state.updateAt(SLOT, ...state.queue(12), ...state.consume(1, 3, 5, 2, 8), state.nullify(1), state.append(4)),
      addresses.updateAt(SLOT, ...addresses.enqueue(...testAddresses(0, 9)), addresses.batch(4)),
      ...[EMPTY_TREE, EMPTY_ADDRESS_TREE, testStateTree('stateV1'), V1].map((tree) => other(tree)),
      other(QUARANTINED, wrongBatch),
    ];
    await prover.apply(new TreeRecords().of(blockLinkAt(SLOT), updates));
    gateway = await startTestGateway({ databaseUrl: database.url, prover: prover.service });
  });
  afterAll(async () => {
    await gateway.close();
    await prover.end();
    await database.drop();
  });

  const ask = (tree: Pubkey, queues: object) => rpc.result('getQueueElements', { tree: text(tree), ...queues });
  const stateNodes = (...leaves: number[]) =>
    Array.from(nodesOnPaths(leaves, 32), ({ level, index }) => ({
      index: Number(BigInt(level) * 2n ** 56n + BigInt(index)),
      hash: text(level === 32 ? state.root : state.nodes.node({ level, index })),
    }));
  const outputQueue = (leafIndices: number[], batchSize: number) => ({
    leafIndices,
    accountHashes: leafIndices.map((index) => text(state.outputs[index])),
    leaves: leafIndices.map(() => text(ZERO_HASH)),
    firstQueueIndex: leafIndices[0] ?? 0,
    nextIndex: leafIndices[0] ?? 0,
    leavesHashChains: batchesOf(leafIndices, batchSize).map((batch) => chainOf(batch.map((at) => state.outputs[at]))),
  });
  const inputQueue = (queueIndices: number[], batchSize: number) => {
    const entries = queueIndices.map((at) => state.inputs[at]);
    return {
      leafIndices: entries.map(({ leafIndex }) => leafIndex),
      accountHashes: entries.map(({ hash }) => text(hash)),
      leaves: entries.map(({ leafIndex }) => text(state.leaves.get(leafIndex) ?? ZERO_HASH)),
      txHashes: entries.map(({ txHash }) => text(txHash)),
      nullifiers: entries.map(({ nullifier }) => text(nullifier)),
      firstQueueIndex: queueIndices[0] ?? 0,
      leavesHashChains: batchesOf(entries, batchSize).map((batch) => chainOf(batch.map(({ nullifier }) => nullifier))),
    };
  };
  const context = { slot: SLOT };

  it('returns both queues with the nodes of all their entries', async () => {
    const outputs = [4, 5, 6, 7, 8, 9, 10, 11];
    expect(await ask(state.info.tree, { outputQueue: one, inputQueue: one })).toEqual({
      context,
      stateQueue: {
        nodes: stateNodes(...outputs, 3, 5, 2, 8),
        ...{ initialRoot: text(state.root), rootSeq: 2 },
        outputQueue: outputQueue(outputs, 1),
        inputQueue: inputQueue([1, 2, 3, 4], 1),
      },
    });
    expect(state.leaves.get(3)).toEqual(state.outputs[3]);
  });

  it.each([
    ['whole batches', { limit: 100, zkpBatchSize: 3 }, [4, 5, 6, 7, 8, 9]],
    ['a limit within a batch', { limit: 5, zkpBatchSize: 2 }, [4, 5, 6, 7]],
    ['a limit of one', { limit: 1, zkpBatchSize: 1 }, [4]],
    ['the first position', { limit: 2, startIndex: 4, zkpBatchSize: 1 }, [4, 5]],
    ['a later position', { limit: 100, startIndex: 7, zkpBatchSize: 2 }, [7, 8, 9, 10]],
  ])('selects entries by %s', async (_, selection, positions) => {
    const { stateQueue } = (await ask(state.info.tree, { outputQueue: selection })) as { stateQueue: object };
    expect(stateQueue).toEqual({
      nodes: stateNodes(...positions),
      ...{ initialRoot: text(state.root), rootSeq: 2, outputQueue: outputQueue(positions, selection.zkpBatchSize) },
    });
  });

  it('returns empty lists for the queue without entries, if the other has some', async () => {
    expect(await ask(state.info.tree, { outputQueue: { limit: 8 }, inputQueue: one })).toMatchObject({
      stateQueue: {
        nodes: stateNodes(3, 5, 2, 8),
        outputQueue: outputQueue([], 500),
        inputQueue: { firstQueueIndex: 1 },
      },
    });
    expect(await ask(state.info.tree, { outputQueue: one, inputQueue: { ...one, startIndex: 5 } })).toMatchObject({
      stateQueue: { inputQueue: inputQueue([], 1) },
    });
  });

  it.each([
    ['nothing is queued', EMPTY_TREE.tree, { outputQueue: one, inputQueue: one }],
    ['no batch is whole', state.info.tree, { outputQueue: { limit: 100 }, inputQueue: { limit: 3, zkpBatchSize: 4 } }],
    ['the limit is 0', state.info.tree, { inputQueue: { limit: 0, startIndex: 0 } }],
    ['the position is behind the end', state.info.tree, { outputQueue: { ...one, startIndex: 12 } }],
    ['the position is far behind the end', state.info.tree, { outputQueue: { ...one, startIndex: 2 ** 63 } }],
  ])('returns no queue of a state tree if %s', async (_, tree, queues) => {
    expect(await ask(tree, queues)).toEqual({ context });
  });

  it('returns the queue of an address tree, with chains of whole batches only', async () => {
    const asked = testAddresses(4, 9);
    const lows = asked.map((address) => addresses.lowOf(address));
    const nodes = new Map<bigint, { index: number; hash: string }>();
    const add = (level: number, index: number, hash: Hash) => {
      const code = BigInt(level) * 2n ** 56n + BigInt(index);
      nodes.set(code, { index: Number(code), hash: text(hash) });
    };
    for (const low of lows) {
      let [ancestor, index] = [hashElement('addressV2', low, poseidon), low.index];
      add(0, index, ancestor);
      for (const [level, sibling] of addresses.siblingsOf(low.index).entries()) {
        add(level, index ^ 1, sibling);
        ancestor = poseidon(index % 2 === 0 ? [ancestor, sibling] : [sibling, ancestor]);
        index = Math.floor(index / 2);
        add(level + 1, index, ancestor);
      }
      expect([index, ancestor]).toEqual([0, addresses.root]);
    }
    const { addressQueue, ...rest } = (await ask(V2.tree, { addressQueue: { limit: 100, zkpBatchSize: 2 } })) as {
      addressQueue: { subtrees: string[] };
    };
    expect(rest).toEqual({ context });
    expect(addressQueue).toEqual({
      addresses: asked.map(text),
      queueIndices: [4, 5, 6, 7, 8],
      nodes: [...nodes].sort(([a], [b]) => Number(a - b)).map(([, node]) => node),
      lowElementIndices: lows.map(({ index }) => index),
      lowElementValues: lows.map(({ value }) => text(value)),
      lowElementNextIndices: lows.map(({ nextIndex }) => nextIndex),
      lowElementNextValues: lows.map(({ nextValue }) => text(nextValue)),
      leavesHashChains: [chainOf(asked.slice(0, 2)), chainOf(asked.slice(2, 4))],
      ...{ initialRoot: text(addresses.root), startIndex: 5, rootSeq: 1 },
      subtrees: addressQueue.subtrees,
    });
    expect(addressQueue.subtrees[0]).toBe(text(hashElement('addressV2', addresses.all[4], poseidon)));
    expect(addressQueue.subtrees[2]).toBe(text(addresses.siblingsOf(4)[2]));
    expect(addressQueue.subtrees.length).toBe(40);
  });

  it('returns the frontier of an address tree without entries', async () => {
    const expected = {
      ...{ addresses: [], queueIndices: [], lowElementIndices: [], lowElementValues: [], lowElementNextIndices: [] },
      ...{ lowElementNextValues: [], leavesHashChains: [], initialRoot: text(ZERO_HASH), rootSeq: 0 },
    };
    for (const addressQueue of [{ limit: 0 }, { limit: 5, startIndex: 9 }]) {
      const answer = (await ask(V2.tree, { addressQueue })) as { addressQueue: { subtrees: string[] } };
      const { subtrees } = answer.addressQueue;
      expect(answer).toEqual({ context, addressQueue: { ...expected, startIndex: 5, subtrees } });
      expect(subtrees.length).toBe(40);
    }
    const untouched = new AddressTreeModel(V2, poseidon);
    const answer = (await ask(EMPTY_ADDRESS_TREE.tree, { addressQueue: one })) as {
      addressQueue: { subtrees: string[] };
    };
    expect(answer).toMatchObject({ addressQueue: { ...expected, startIndex: 1 } });
    expect(answer.addressQueue.subtrees[0]).toBe(text(hashElement('addressV2', untouched.all[0], poseidon)));
  });

  it('answers in a batch, and compressed', async () => {
    const body = (id: number) => ({
      ...{ jsonrpc: '2.0', id, method: 'getQueueElements' },
      params: { tree: text(state.info.tree), outputQueue: one, inputQueue: one },
    });
    const { text: single, headers } = await sendHttp(gateway.url, { body: JSON.stringify(body(1)) });
    expect(headers['content-length']).toBe(String(single.length));
    const slot = { jsonrpc: '2.0', id: 2, method: 'getIndexerSlot' };
    const batch = JSON.stringify([body(1), slot, body(1)]);
    const expected = `[${single},{"jsonrpc":"2.0","id":2,"result":${SLOT}},${single}]`;
    expect((await sendHttp(gateway.url, { body: batch })).text).toBe(expected);
    const accepting = { 'content-type': 'application/json', 'accept-encoding': 'gzip' };
    const compressed = await sendHttp(gateway.url, { body: batch, headers: accepting });
    expect(gunzipSync(compressed.body).toString()).toBe(expected);
  });

  it('writes indexes above 2^53 with all digits', async () => {
    const params = { tree: text(state.info.tree), outputQueue: { limit: 1, zkpBatchSize: 1 } };
    const { text: json } = await rpc.call('getQueueElements', params);
    const { result } = parseExactJson(json) as { result: { stateQueue: { nodes: { index: unknown }[] } } };
    const expected = Array.from(nodesOnPaths([4], 32), ({ level, index }) => (BigInt(level) << 56n) + BigInt(index));
    expect(result.stateQueue.nodes.map(({ index }) => BigInt(String(index)))).toEqual(expected);
    expect(json).toContain('"index":2305843009213693952,');
  });

  it.each([
    ['an unknown tree', UNKNOWN, { outputQueue: one }, 'Tree .* is not known'],
    ['an unknown tree, of addresses', UNKNOWN, { addressQueue: one }, 'Tree .* is not known'],
    ['a V1 state tree', testStateTree('stateV1').tree, { outputQueue: one }, 'Tree .* is not known'],
    ['a V1 address tree', V1.tree, { addressQueue: one }, 'Tree .* is not known'],
    ['the address queue of a state tree', state.info.tree, { outputQueue: one, addressQueue: one }, 'is not known'],
    ['the output queue of an address tree', V2.tree, { outputQueue: one }, 'Tree .* is not known'],
    ['a quarantined tree', QUARANTINED.tree, { outputQueue: one }, 'is quarantined'],
    ['a position that was appended', state.info.tree, { outputQueue: { ...one, startIndex: 3 } }, 'starts at index 4'],
    [
      'a position that was nullified',
      state.info.tree,
      { inputQueue: { limit: 9, startIndex: 0 } },
      'starts at index 1',
    ],
  ])('refuses %s', async (_, tree, queues, message) => {
    const error = await rpc.errorOf('getQueueElements', { tree: text(tree), ...queues });
    expect(error).toEqual({ code: -32000, message: expect.stringMatching(message) as string });
  });

  it.each([
    ['no queue', {}],
    ['no limit', { outputQueue: {} }],
    ['a limit above the maximum', { inputQueue: { limit: 30_001 } }],
    ['an unknown member', { addressQueue: { limit: 1, start: 1 } }],
  ])('refuses %s', async (_, queues) => {
    const error = await rpc.errorOf('getQueueElements', { tree: text(state.info.tree), ...queues });
    expect(error).toMatchObject({ code: -32602 });
  });

  describe('getQueueLeafIndices', () => {
    const leavesFrom = (params: object) =>
      rpc.result('getQueueLeafIndices', { tree: text(state.info.tree), ...params });
    const leaf = (queueIndex: number) => {
      const { hash, leafIndex } = state.inputs[queueIndex];
      return { hash: text(hash), queueIndex, leafIndex };
    };

    it.each([
      ['all', { limit: 100 }, [1, 2, 3, 4]],
      ['without a start', { limit: 2, startIndex: null }, [1, 2]],
      ['from a queue index that no longer waits', { limit: 3, startIndex: 0 }, [1, 2, 3]],
      ['from a later queue index', { limit: 100, startIndex: 3 }, [3, 4]],
      ['behind the last', { limit: 100, startIndex: 5 }, []],
      ['none', { limit: 0 }, []],
    ])('lists the entries of the input queue by queue index: %s', async (_, params, queueIndices) => {
      expect(await leavesFrom(params)).toEqual({ context, value: queueIndices.map(leaf) });
    });

    it('lists nothing of trees that are unknown, empty or without an input queue', async () => {
      for (const tree of [UNKNOWN, EMPTY_TREE.tree, V1.tree, V2.tree, testStateTree('stateV1').tree]) {
        expect(await leavesFrom({ tree: text(tree), limit: 5 })).toEqual({ context, value: [] });
      }
    });

    it.each([
      [{}, 'limit is required'],
      [{ limit: 30_001 }, 'limit must be an integer from 0 to 30000'],
      [{ limit: 1, startIndex: -1 }, 'startIndex must be'],
      [{ limit: 1, zkpBatchSize: 1 }, 'params has an unknown member'],
      [{ limit: 1, tree: 'x' }, 'tree'],
    ])('rejects %j', async (params, message) => {
      const error = await rpc.errorOf('getQueueLeafIndices', { tree: text(state.info.tree), ...params });
      expect(error).toMatchObject({ code: -32602, message: expect.stringContaining(message) as string });
    });

    it('is refused for a quarantined tree', async () => {
      const error = await rpc.errorOf('getQueueLeafIndices', { tree: text(QUARANTINED.tree), limit: 1 });
      expect(error).toMatchObject({ code: -32000, message: expect.stringContaining('is quarantined') as string });
    });
  });

  it('waits for a context slot, and fails if the prover is behind the tables', async () => {
    const params = { tree: text(state.info.tree), outputQueue: one };
    expect(await rpc.result('getQueueElements', { ...params, minContextSlot: SLOT })).toMatchObject({ context });
    expect(await rpc.errorOf('getQueueElements', { ...params, minContextSlot: SLOT + 1 })).toMatchObject({
      code: -32016,
    });
    await setIndexedSlot(database.dataSource, SLOT + 1, { blockhash: blockLinkAt(SLOT + 1).blockhash });
    expect(await rpc.call('getQueueElements', params)).toMatchObject({ status: 500, error: { code: -32603 } });
    await setIndexedSlot(database.dataSource, SLOT);
  });
});

function batchesOf<Item>(items: readonly Item[], size: number): Item[][] {
  const count = Math.floor(items.length / size);
  return Array.from({ length: count }, (_, at) => items.slice(at * size, (at + 1) * size));
}
