import { type CompressionEvent, LIVE_PROGRAMS, type OutputAccount, type TransitionEvent } from '@fresnel/domain/events';
import { type Hash, type Pubkey, type Signature, toSlot, ZERO_HASH } from '@fresnel/domain/primitives';
import { poseidonInline } from '@fresnel/testing/address-trees';
import { type TreeInfo, type TreeType } from '@fresnel/domain/trees';
import { foldAccounts } from './fold-accounts';
import { foldTreeChanges } from './fold-tree-changes';
import { type SlotEvents } from './slot-events';

const key = (seed: number) => Buffer.alloc(32, seed) as Pubkey;
const hash = (seed: number) => Buffer.alloc(32, seed) as Hash;
const SIGNATURE = Buffer.alloc(64, 9) as Signature;

function tree(seed: number, type: TreeType, queue = seed): TreeInfo {
  const observed = { slot: toSlot(0), seq: 0n, nextIndex: 0n, queueEnd: 0n, inputQueueEnd: 0n, root: null };
  return { tree: key(seed), queue: key(queue), type, height: 26, rootHistoryCapacity: 2400, owner: null, observed };
}

function slotOf(events: CompressionEvent[], trees: TreeInfo[]): SlotEvents {
  return {
    slot: toSlot(5),
    parentSlot: toSlot(4),
    blockhash: ZERO_HASH,
    parentBlockhash: ZERO_HASH,
    blockTime: 0,
    blockHeight: null,
    isFirst: false,
    transactions: [{ signature: SIGNATURE, index: 3, events, json: '{}' }],
    trees,
    deadLetters: [],
    signatures: null,
  };
}

function output(seed: number, treeAccount: Pubkey, changes: Partial<OutputAccount> = {}): OutputAccount {
  const body = { owner: key(50), lamports: 1n, address: null, data: null };
  return { hash: hash(seed), leafIndex: seed, treeAccount, body, ataOwner: null, ...changes };
}

function transition(changes: Partial<TransitionEvent>): TransitionEvent {
  return { kind: 'transition', format: 1, inputs: [], outputs: [], newAddresses: [], sequenceNumbers: [], ...changes };
}

const fold = (slot: SlotEvents) => foldAccounts(slot, LIVE_PROGRAMS.compressedToken, poseidonInline.hashBatch);

describe('foldAccounts', () => {
  it('assigns consecutive sequence numbers to outputs of each V1 tree, and none to outputs of V2 trees', async () => {
    const event = transition({
      outputs: [output(10, key(1)), output(11, key(2)), output(12, key(1)), output(13, key(4))],
      sequenceNumbers: [
        { tree: key(1), seq: 7n },
        { tree: key(2), seq: 40n },
        { tree: key(3), seq: 99n },
      ],
    });
    const { created, deadLetters } = await fold(
      slotOf([event], [tree(1, 'stateV1'), tree(2, 'stateV1'), tree(3, 'stateV2', 4)]),
    );
    expect(created.map(({ seq }) => seq)).toEqual([7n, 40n, 8n, null]);
    expect(created[3].tree).toEqual(key(3)); // the event names the queue of the tree
    expect(deadLetters).toEqual([]);
  });

  it('ignores outputs of unknown trees, keeps all inputs, and lists accounts in event order', async () => {
    const events = [
      transition({
        inputs: [{ hash: hash(20), nullification: null }],
        outputs: [output(10, key(1)), output(11, key(77))],
      }),
      transition({ inputs: [{ hash: hash(19), nullification: null }], outputs: [output(9, key(1))] }),
    ];
    const { created, consumed, transactions } = await fold(slotOf(events, [tree(1, 'stateV2')]));
    expect(created.map((account) => account.hash)).toEqual([hash(10), hash(9)]);
    expect(consumed.map((account) => account.hash)).toEqual([hash(20), hash(19)]);
    expect(transactions).toMatchObject([{ consumed: [hash(20), hash(19)], created: [hash(10), hash(9)] }]);
  });

  it('keeps a leaf whose body could not be parsed', async () => {
    const { created } = await fold(
      slotOf([transition({ outputs: [output(10, key(1), { body: null })] })], [tree(1, 'stateV2')]),
    );
    expect(created).toMatchObject([{ hash: hash(10), leafIndex: 10, body: null, token: null }]);
  });

  it('creates a dead letter for data that it cannot parse, and keeps the facts', async () => {
    const data = { discriminator: Buffer.from('0200000000000000', 'hex'), bytes: Buffer.alloc(10), dataHash: hash(1) };
    const body = { owner: LIVE_PROGRAMS.compressedToken, lamports: 0n, address: null, data };
    const { created, deadLetters } = await fold(
      slotOf([transition({ outputs: [output(10, key(1), { body })] })], [tree(1, 'stateV1')]),
    );
    expect(created).toMatchObject([{ token: null, seq: null, body }]);
    expect(deadLetters).toMatchObject([{ signature: SIGNATURE, index: 3, json: '{}' }]);
    expect(deadLetters[0].reasons.map((reason) => reason.split(' ')[0])).toEqual(['no', 'token']);
  });

  it('creates a dead letter for an input whose nullifier cannot be computed, and consumes it nevertheless', async () => {
    const nullification = { tree: key(1), leafIndex: 1, queueIndex: 4n, txHash: hash(0xff) };
    const { consumed, deadLetters } = await fold(
      slotOf([transition({ inputs: [{ hash: hash(3), nullification }] })], []),
    );
    expect(consumed).toMatchObject([{ hash: hash(3), nullification: null }]);
    expect(deadLetters).toHaveLength(1);
  });

  it('returns the next leaf index of appends to known V2 trees', async () => {
    const batch = {
      kind: 'batch-append' as const,
      batchIndex: 0n,
      zkpBatchIndex: 0n,
      zkpBatchSize: 10n,
      oldNextIndex: 10n,
      newNextIndex: 20n,
      newRoot: hash(0),
      rootIndex: 2,
      seq: 2n,
      outputQueue: key(4),
    };
    const { appended } = await fold(
      slotOf(
        [
          { ...batch, tree: key(3) },
          { ...batch, tree: key(5) },
        ],
        [tree(3, 'stateV2', 4)],
      ),
    );
    expect(appended).toEqual([{ tree: key(3), nextLeafIndex: 20n }]);
  });
});

describe('the migrated leaves of foldAccounts', () => {
  const trees = [tree(1, 'stateV1', 2), tree(3, 'stateV2', 4), tree(5, 'stateV2', 6)];
  const migrated = (seed: number, queue = 4): CompressionEvent => ({
    kind: 'leaf-migrated',
    queue: key(queue),
    hash: hash(seed),
  });
  const outputs = (...leafIndexes: number[]) =>
    transition({ outputs: leafIndexes.map((leafIndex) => output(leafIndex, key(4))) });
  const placesIn = async (...events: CompressionEvent[]) =>
    (await fold(slotOf(events, trees))).migrated.map((leaf) => [
      leaf.tree[0],
      leaf.hash[0],
      leaf.place,
      leaf.leafIndex,
    ]);

  it('have no leaf index in a slot without outputs of the tree', async () => {
    const inV1 = transition({ outputs: [output(7, key(1))] });
    expect(await placesIn(migrated(21), inV1, migrated(22, 6), migrated(23))).toEqual([
      [3, 21, 0, null],
      [3, 23, 1, null],
      [5, 22, 0, null],
    ]);
  });

  it('are numbered by the outputs around them', async () => {
    const events = [migrated(21), migrated(22), outputs(40, 41), migrated(23), outputs(43), migrated(24), migrated(25)];
    expect(await placesIn(...events)).toEqual([
      [3, 21, 0, 38],
      [3, 22, 1, 39],
      [3, 23, 2, 42],
      [3, 24, 3, 44],
      [3, 25, 4, 45],
    ]);
  });

  it('are ignored if the queue is that of no V2 state tree', async () => {
    expect(await placesIn(migrated(21, 2), migrated(22, 9))).toEqual([]);
  });
});

describe('foldTreeChanges', () => {
  it('returns the changes of each tree in order, and updates without changes', () => {
    const trees = [tree(1, 'addressV1'), tree(2, 'addressV2'), tree(3, 'addressV2'), tree(4, 'stateV1')];
    const queued = (seed: number, treeSeed: number, queueIndex: bigint | null) => {
      return { address: hash(seed), tree: key(treeSeed), queueIndex };
    };
    const events: CompressionEvent[] = [
      transition({ newAddresses: [queued(20, 2, 0n), queued(21, 1, null), queued(22, 2, 1n), queued(23, 9, 0n)] }),
      { kind: 'addresses-inserted', tree: key(1), updates: [], seq: 4n },
      { kind: 'leaves-nullified', tree: key(4), leafIndices: [1n], seq: 4n },
    ];
    const updates = foldTreeChanges(slotOf(events, trees));
    expect(updates.map((update) => [update.tree.tree, update.changes])).toEqual([
      [key(1), [{ kind: 'address-insert', seq: 4n, updates: [] }]],
      [
        key(2),
        [
          { kind: 'address-queued', address: hash(20), queueIndex: 0n },
          { kind: 'address-queued', address: hash(22), queueIndex: 1n },
        ],
      ],
      [key(3), []],
      [key(4), [{ kind: 'leaves-nullified', seq: 4n, leafIndices: [1] }]],
    ]);
  });

  it('numbers the leaves of V1 state trees, and queues those of V2 state trees with their nullifiers', () => {
    const trees = [tree(1, 'stateV1'), tree(2, 'stateV1'), tree(3, 'stateV2', 4)];
    const output = (seed: number, treeAccount: number, leafIndex: number) => {
      return { hash: hash(seed), leafIndex, treeAccount: key(treeAccount), body: null, ataOwner: null };
    };
    const nullification = { tree: key(3), leafIndex: 9, queueIndex: 5n, txHash: hash(8) };
    const events = [
      transition({
        inputs: [
          { hash: hash(7), nullification },
          { hash: hash(6), nullification: null },
          { hash: Buffer.alloc(32, 0xff) as Hash, nullification },
        ],
        outputs: [output(20, 1, 3), output(21, 4, 10), output(22, 2, 0), output(23, 1, 4), output(24, 9, 1)],
        sequenceNumbers: [{ tree: key(1), seq: 30n }],
      }),
      {
        kind: 'batch-nullify' as const,
        tree: key(3),
        batchIndex: 0n,
        zkpBatchIndex: 0n,
        zkpBatchSize: 2n,
        oldNextIndex: 4n,
        newNextIndex: 6n,
        newRoot: hash(9),
        rootIndex: 2,
        seq: 2n,
        outputQueue: null,
      },
    ];
    const updates = foldTreeChanges(slotOf(events, trees));
    const leaves = [
      { leafIndex: 3, hash: hash(20) },
      { leafIndex: 4, hash: hash(23) },
    ];
    expect(updates.map((update) => [update.tree.tree, update.changes])).toEqual([
      [key(1), [{ kind: 'leaves-appended', seq: 30n, leaves }]],
      [key(2), []],
      [
        key(3),
        [
          { kind: 'nullifier-queued', queueIndex: 5n, leafIndex: 9, hash: hash(7), txHash: hash(8) },
          { kind: 'leaf-queued', leafIndex: 10, hash: hash(21) },
          { kind: 'nullify-batch', seq: 2n, oldNextIndex: 4n, newNextIndex: 6n, newRoot: hash(9) },
        ],
      ],
    ]);
  });

  it('migrates leaves to V2 state trees only, which are found by their output queues', () => {
    const trees = [tree(1, 'stateV1', 2), tree(3, 'stateV2', 4), tree(5, 'addressV2')];
    const migrated = (queue: number) => ({ kind: 'leaf-migrated' as const, queue: key(queue), hash: hash(20) });
    const updates = foldTreeChanges(slotOf([migrated(2), migrated(4), migrated(5), migrated(9)], trees));
    expect(updates.map((update) => [update.tree.tree, update.changes])).toEqual([
      [key(1), []],
      [key(3), [{ kind: 'leaf-migrated', hash: hash(20) }]],
      [key(5), []],
    ]);
  });

  it('adds the block to each update', () => {
    const block = { slot: toSlot(7), blockhash: hash(1), parentBlockhash: hash(2) };
    const updates = foldTreeChanges({ ...slotOf([], [tree(1, 'addressV1'), tree(2, 'addressV2')]), ...block });
    expect(updates).toMatchObject([block, block]);
  });
});
