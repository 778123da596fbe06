import { blockLinkOf } from '@fresnel/domain/chain';
import {
  type Block,
  type CompressionEvent,
  LIVE_PROGRAMS,
  JsonCursor,
  parseBlock,
  TransactionParser,
} from '@fresnel/domain/events';
import { type Pubkey, toPubkey, toSlot, ZERO_HASH } from '@fresnel/domain/primitives';
import { type TreeChange } from '@fresnel/domain/trees';
import { generatedTrees, generateLedger } from '@fresnel/ledger-generator';
import { foldTreeChanges } from './fold-tree-changes';
import { hasEqualIndexes, orderTransactions } from './order-transactions';
import { parseSlot } from './parse-slot';
import { type TransactionEvents } from './slot-events';

const [TREE, OTHER, QUEUE, OTHER_QUEUE] = [1, 2, 3, 4].map((fill) => toPubkey(Buffer.alloc(32, fill)));
const WEIGHTS = { nullifyLeaves: 30, migrateLeaves: 8, appendOutputs: 40, nullifyInputs: 40, transferLamports: 40 };

const transition = (parts: Partial<Extract<CompressionEvent, { kind: 'transition' }>>): CompressionEvent => ({
  ...{ kind: 'transition', format: 1, inputs: [], outputs: [], newAddresses: [], sequenceNumbers: [] },
  ...parts,
});
const output = (treeAccount: Pubkey, leafIndex: number) => {
  return { hash: ZERO_HASH, leafIndex, treeAccount, body: null, ataOwner: null };
};
/** Appends a leaf to a V1 tree. */
const appended = (tree: Pubkey, seq: bigint, leafIndex: number) =>
  transition({ outputs: [output(tree, leafIndex)], sequenceNumbers: [{ tree, seq }] });
/** Adds a leaf to an output queue. */
const queued = (queue: Pubkey, leafIndex: number) => transition({ outputs: [output(queue, leafIndex)] });
const spent = (tree: Pubkey, queueIndex: bigint) =>
  transition({ inputs: [{ hash: ZERO_HASH, nullification: { tree, leafIndex: 0, queueIndex, txHash: ZERO_HASH } }] });
const addressed = (tree: Pubkey, queueIndex: bigint) =>
  transition({ newAddresses: [{ address: ZERO_HASH, tree, queueIndex }] });
const nullified = (tree: Pubkey, seq: bigint): CompressionEvent => ({
  kind: 'leaves-nullified',
  tree,
  leafIndices: [0n],
  seq,
});
const inserted = (tree: Pubkey, seq: bigint): CompressionEvent => ({
  kind: 'addresses-inserted',
  tree,
  updates: [],
  seq,
});
const migrated = (queue: Pubkey): CompressionEvent => ({ kind: 'leaf-migrated', queue, hash: ZERO_HASH });
const batch = (
  kind: 'batch-append' | 'batch-nullify' | 'batch-address-append',
  seq: bigint,
  end: bigint,
): CompressionEvent => ({
  ...{ kind, tree: TREE, batchIndex: 0n, zkpBatchIndex: 0n, zkpBatchSize: 1n, oldNextIndex: 0n, newNextIndex: end },
  ...{ newRoot: ZERO_HASH, rootIndex: 0, seq, outputQueue: QUEUE },
});

/** The names of transactions in the found order; those that are undecided in parentheses. @param group each with its name */
function order(group: [string, ...CompressionEvent[]][]): string {
  const { ordered, undecided } = orderTransactions(group.map(([name, ...events]) => ({ name, index: 0, events })));
  return ordered.map((each) => (undecided.has(each) ? `(${each.name})` : each.name)).join(' ');
}

describe('orderTransactions', () => {
  it.each([
    ['sequence numbers of a state tree', [appended(TREE, 7n, 3), nullified(TREE, 8n), appended(TREE, 9n, 4)]],
    ['sequence numbers of an address tree', [inserted(TREE, 4n), inserted(TREE, 6n), inserted(TREE, 8n)]],
    ['leaf indices', [queued(QUEUE, 7), queued(QUEUE, 8), queued(QUEUE, 9)]],
    ['positions in an input queue', [spent(TREE, 7n), spent(TREE, 8n), spent(TREE, 19n)]],
    ['positions in an address queue', [addressed(TREE, 7n), addressed(TREE, 8n), addressed(TREE, 9n)]],
    ['batches', [batch('batch-append', 3n, 10n), batch('batch-nullify', 4n, 10n), batch('batch-append', 5n, 20n)]],
    ['an appended leaf', [queued(QUEUE, 9), batch('batch-append', 3n, 10n), batch('batch-append', 4n, 11n)]],
    ['a nullified leaf', [spent(TREE, 9n), batch('batch-nullify', 3n, 10n), batch('batch-nullify', 4n, 11n)]],
    [
      'an inserted address',
      [addressed(TREE, 8n), batch('batch-address-append', 3n, 10n), batch('batch-address-append', 4n, 11n)],
    ],
  ])('uses %s', (_, [a, b, c]) => {
    expect(
      order([
        ['c', c],
        ['a', a],
        ['b', b],
      ]),
    ).toBe('a b c');
    expect(
      order([
        ['b', b],
        ['c', c],
        ['a', a],
      ]),
    ).toBe('a b c');
  });

  it('finds one order for several trees', () => {
    const [a, b] = [appended(TREE, 7n, 3), appended(TREE, 8n, 4)];
    const [first, second] = [queued(QUEUE, 30), queued(QUEUE, 31)];
    expect(
      order([
        ['c', second],
        ['b', b, first],
        ['a', a],
      ]),
    ).toBe('a b c');
  });

  it('does not order what a batch does not need', () => {
    const [early, late] = [queued(QUEUE, 20), batch('batch-append', 8n, 10n)];
    expect(
      order([
        ['late', late],
        ['mid', batch('batch-nullify', 7n, 6n), spent(TREE, 4n)],
        ['early', early, spent(TREE, 3n)],
      ]),
    ).toBe('early mid late');
  });

  it('keeps other transactions in the order of the source', () => {
    expect(order([['b', queued(QUEUE, 7)], ['x'], ['a', queued(OTHER_QUEUE, 3)]])).toBe('b x a');
  });

  it('finds transactions that contradict each other, and orders the others around them', () => {
    const cycle: [string, ...CompressionEvent[]][] = [
      ['m', appended(TREE, 7n, 3), queued(QUEUE, 31)],
      ['n', appended(TREE, 8n, 4), queued(QUEUE, 30)],
    ];
    expect(order([['z', appended(TREE, 9n, 5)], ...cycle, ['a', queued(QUEUE, 29)]])).toBe('a (m) (n) z');
    expect(
      order([
        ['m', nullified(TREE, 7n)],
        ['n', nullified(TREE, 7n)],
      ]),
    ).toBe('(m) (n)');
    expect(
      order([
        ['m', nullified(TREE, 7n), nullified(TREE, 9n)],
        ['n', nullified(TREE, 8n)],
      ]),
    ).toBe('(m) (n)');
  });

  describe('of migrated leaves, which have no position', () => {
    const migration = (seq: bigint, tree = TREE): CompressionEvent[] => [nullified(tree, seq), migrated(QUEUE)];

    it('uses the tree that they come from', () => {
      expect(
        order([
          ['b', ...migration(8n)],
          ['a', ...migration(7n)],
        ]),
      ).toBe('a b');
    });

    it('does not guess which of two trees was first, or which output', () => {
      expect(
        order([
          ['a', ...migration(8n)],
          ['b', ...migration(7n, OTHER)],
        ]),
      ).toBe('(a) (b)');
      expect(
        order([
          ['a', ...migration(8n)],
          ['x', queued(QUEUE, 4)],
        ]),
      ).toBe('(a) x');
      expect(
        order([
          ['a', ...migration(8n)],
          ['x', queued(OTHER_QUEUE, 4)],
        ]),
      ).toBe('a x');
    });

    it('is known if something else orders them', () => {
      expect(
        order([
          ['x', queued(QUEUE, 4), nullified(TREE, 9n)],
          ['a', ...migration(8n)],
        ]),
      ).toBe('a x');
    });
  });

  it('orders each group of equal indexes, and makes indexes different', () => {
    const at = (index: number, leafIndex: number) => ({ index, events: [queued(QUEUE, leafIndex)] });
    const { ordered } = orderTransactions([at(3, 8), at(3, 7), at(4, 9), at(9, 11), at(9, 10)]);
    expect(ordered.map(({ index }) => index)).toEqual([3, 4, 5, 9, 10]);
    expect(ordered).toMatchObject([at(3, 7), at(4, 8), at(5, 9), at(9, 10), at(10, 11)]);
  });
});

const replacer = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);

describe('a slot whose transactions have equal indexes', () => {
  const parser = new TransactionParser(LIVE_PROGRAMS);
  const BLOCKS = [...generateLedger({ seed: 33, slots: 60, weights: WEIGHTS })].map(({ slot, json }) =>
    parseBlock(new JsonCursor(json), toSlot(slot)),
  );
  const parse = (block: Block) => parseSlot(block, 5, parser);
  /** In the order of their texts. */
  const tie = (block: Block) => {
    const transactions = block.transactions.map(({ json }) => ({ index: 0, json }));
    return { ...block, transactions: transactions.sort((a, b) => (a.json < b.json ? -1 : 1)) };
  };

  /**
   * Of each tree: the leaves, and the spends, whose queue is another one. Where a batch is among what it does not need makes no
   * difference.
   */
  const changesOf = (block: Block, transactions: TransactionEvents[]) => {
    const frame = { blockTime: 5, blockHeight: null, isFirst: false, deadLetters: [], signatures: null };
    const updates = foldTreeChanges({ ...blockLinkOf(block), ...frame, transactions, trees: generatedTrees() });
    const isSpend = ({ kind }: TreeChange) => kind === 'nullifier-queued';
    return updates.map(({ changes }) => [
      changes.filter((change) => !isSpend(change) && !change.kind.endsWith('-batch')),
      changes.filter(isSpend),
    ]);
  };

  it('has the same changes of each tree, or dead letters', () => {
    let [moved, undecided] = [0, 0];
    for (const block of BLOCKS) {
      const [{ transactions: expected }, { transactions, deadLetters }] = [parse(block), parse(tie(block))];
      expect(transactions.length + deadLetters.length).toBe(expected.length);
      expect(hasEqualIndexes(transactions)).toBe(false);
      undecided += deadLetters.length;
      if (deadLetters.length > 0) continue;
      expect(changesOf(block, transactions)).toEqual(changesOf(block, expected));
      const shuffled = tie(block).transactions.flatMap((each) =>
        expected.filter(({ json }) => json.endsWith(each.json.slice(1))),
      );
      moved += Number(
        JSON.stringify(changesOf(block, shuffled), replacer) !== JSON.stringify(changesOf(block, expected), replacer),
      );
    }
    expect(moved).toBeGreaterThan(20);
    expect(undecided).toBeGreaterThan(0);
  });

  it('has dead letters with the reason for those whose place is unknown', () => {
    const letters = BLOCKS.flatMap((block) => parse(tie(block)).deadLetters);
    expect([...new Set(letters.flatMap(({ reasons }) => reasons))]).toEqual([
      'order-unknown: the source gives several transactions of the slot the same index',
    ]);
  });
});
