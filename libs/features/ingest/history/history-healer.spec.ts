import { type HistoryPage, type HistorySource, type SlotRange } from '@fresnel/adapters/chain/history';
import { type HistoryDeadLetter } from '@fresnel/adapters/store-write';
import { type TreeRepublication } from '@fresnel/adapters/tree-store';
import { type FindingReason, type HistoryFinding, sparseBlock } from '@fresnel/domain/chain';
import { type Block, JsonCursor, LIVE_PROGRAMS, parseBlock, TransactionParser } from '@fresnel/domain/events';
import { keyOf, type Pubkey, type Signature, type Slot, toBase58, toSlot } from '@fresnel/domain/primitives';
import { type TreeInfo } from '@fresnel/domain/trees';
import { generatedTrees, generateLedger } from '@fresnel/ledger-generator';
import { captureLog } from '@fresnel/testing/generic';
import { PlayedBlocks, RecordingBus } from '@fresnel/testing/ingest';
import { type HealerParts, HistoryHealer } from './history-healer';

const TREES = generatedTrees();
const [V1, , , , , ADDRESS_V2] = TREES;
const parser = new TransactionParser(LIVE_PROGRAMS);
const BLOCKS = [...generateLedger({ seed: 11, slots: 30 })]
  .map(({ slot, json }) => parseBlock(new JsonCursor(json), toSlot(slot)))
  .filter(({ transactions }) => transactions.length > 0);
const [FIRST, LAST] = [BLOCKS[0].slot, BLOCKS[BLOCKS.length - 1].slot];
const [LACKING, OTHER] = BLOCKS.filter((block) => signaturesOf(block).length > 0);
const never = new AbortController().signal;

/** Of the transactions with events. */
function signaturesOf({ transactions }: Block): Signature[] {
  return transactions.flatMap(({ json }) => {
    const parsed = parser.parse(json);
    return parsed?.signature && parsed.events.length > 0 ? [parsed.signature] : [];
  });
}

/** Has all transactions of all blocks, whatever it is asked about. */
class WholeSource implements HistorySource {
  readonly name = 'whole';
  readonly usage = { calls: 0, bytes: 0 };
  readonly hasBytes = true;
  readonly hasLinks = false;
  readonly asked: { range: SlotRange; about: string[] }[] = [];

  count = () => Promise.resolve(0);

  async *read(range: SlotRange, about: readonly Pubkey[]): AsyncIterable<HistoryPage> {
    this.asked.push({ range, about: about.map(toBase58) });
    const blocks = BLOCKS.filter(({ slot }) => slot >= range.from && slot <= range.to);
    const slots = blocks.map(({ slot, transactions }) => ({
      ...{ slot, blockTime: null, link: null },
      transactions: transactions.map((each) => ({ ...each, signature: null })),
    }));
    yield await Promise.resolve({ ...range, slots, holes: [] });
  }
}

describe('filling in history', () => {
  let other: WholeSource;
  let bus: RecordingBus;
  /** Signatures that are not stored. */
  let unknown: Signature[];
  let letters: HistoryDeadLetter[];
  /** Dead letters that remain when slots are read again. */
  let remaining: HistoryDeadLetter[];
  let requested: [string, Slot][];
  /** Requests that are not served yet. */
  let open: TreeRepublication[];
  /** Ids of requests that cannot be served. */
  let failed: number[];
  /** Slots that were published when operations were requested. */
  let publishedBefore: number[];
  beforeEach(() => {
    [other, bus, unknown, letters, remaining, requested] = [new WholeSource(), new RecordingBus(), [], [], [], []];
    [open, failed, publishedBefore] = [[], [], []];
    bus.applied = () => {
      unknown = [];
      return Promise.resolve();
    };
  });

  const finding = (reason: FindingReason, info = V1, slots: [Slot, Slot] = [FIRST, LAST]): HistoryFinding => {
    return { tree: info.tree, reason, sequenceNumbers: null, slots };
  };

  function heal(...findings: HistoryFinding[]): Promise<boolean> {
    const parts = {
      others: [other],
      source: new PlayedBlocks(BLOCKS),
      parser,
      reader: {
        read: ({ slot }: Block) =>
          Promise.resolve({
            ...{ ...sparseBlock(slot), transactions: [], trees: [] },
            deadLetters: remaining.filter((letter) => letter.slot === slot),
          }),
      },
      bus,
      history: {
        findUnknown: (signatures: readonly Signature[]) =>
          Promise.resolve(signatures.filter((one) => unknown.some((each) => each.equals(one)))),
        listDeadLetters: () => Promise.resolve(letters),
      },
      republications: {
        request: ([tree]: readonly Pubkey[], slot: Slot) => {
          requested.push([toBase58(tree), slot]);
          publishedBefore.push(bus.slots.length);
          return Promise.resolve();
        },
        list: () => Promise.resolve(open.splice(0, 1)),
      },
      republisher: { hasFailed: ({ newestId }: TreeRepublication) => failed.includes(newestId) },
      logger: captureLog().logger,
    };
    const infos = new Map(TREES.map((info) => [keyOf(info.tree), info]));
    return new HistoryHealer(parts as unknown as HealerParts).heal(findings, infos, [FIRST, LAST], never);
  }
  const published = () => bus.slots.map(({ slot }) => slot);

  it('asks about each tree and its queue once, from the first slot where something is missing to the end', async () => {
    await heal(
      finding('spend-missing', V1, [OTHER.slot, LAST]),
      finding('operations-missing', V1, [LACKING.slot, OTHER.slot]),
      finding('tree-missing', ADDRESS_V2),
    );
    expect(other.asked).toEqual([
      { range: { from: LACKING.slot, to: LAST }, about: [V1.tree, V1.queue].map(toBase58) },
      { range: { from: FIRST, to: LAST }, about: [toBase58(ADDRESS_V2.tree)] },
    ]);
  });

  it('publishes slots with transactions that are not stored, and then the operations of the tree', async () => {
    unknown = signaturesOf(LACKING);
    expect(await heal(finding('operations-missing', V1, [LACKING.slot, LAST]))).toBe(true);
    expect(published()).toEqual([LACKING.slot]);
    expect(requested).toEqual([[toBase58(V1.tree), LACKING.slot]]);
  });

  it('requests the operations before it publishes slots, so that a crash in between loses none', async () => {
    unknown = signaturesOf(LACKING);
    await heal(finding('operations-missing', V1, [LACKING.slot, LAST]));
    expect(publishedBefore).toEqual([0]);
  });

  it('waits for operations that were requested before a crash, and for no other request', async () => {
    const requestOf = ({ tree }: TreeInfo, newestId: number) => ({ tree, fromSlot: FIRST, newestId });
    open = [requestOf(V1, 1)];
    expect(await heal(finding('operations-missing'))).toBe(true);
    for (const [request, ids] of [
      [requestOf(ADDRESS_V2, 2), []],
      [requestOf(V1, 3), [3]],
    ] as const) {
      [open, failed] = [[request], [...ids]];
      expect(await heal(finding('operations-missing'))).toBe(false);
    }
  });

  it('fills in what is missing later on too: the tree is published up to the end, and shows no other hole', async () => {
    unknown = [LACKING, OTHER].flatMap(signaturesOf);
    expect(await heal(finding('operations-missing', V1, [LACKING.slot, LACKING.slot]))).toBe(true);
    expect(published()).toEqual([LACKING.slot, OTHER.slot]);
  });

  it('publishes nothing if all is stored', async () => {
    expect(await heal(finding('operations-missing'))).toBe(false);
    expect([published(), requested]).toEqual([[], []]);
  });

  it('publishes no operations for a spend, which is none', async () => {
    unknown = signaturesOf(LACKING).slice(0, 1);
    expect(await heal(finding('spend-missing'))).toBe(true);
    expect([published(), requested]).toEqual([[LACKING.slot], []]);
  });

  describe('of which transactions are lost in part', () => {
    const letterOf = ({ slot }: Block, reason: string) => ({ slot, reasons: [reason], json: '{}' });
    const [lost, alsoLost] = [LACKING, OTHER].map((block) => letterOf(block, 'transaction: no meta'));

    it('publishes their slots, and then the operations of the tree', async () => {
      letters = [lost, lost, alsoLost];
      expect(await heal(finding('transaction-lost', V1, [LACKING.slot, LACKING.slot]))).toBe(true);
      expect(published()).toEqual([LACKING.slot, OTHER.slot]);
      expect(requested).toEqual([[toBase58(V1.tree), LACKING.slot]]);
    });

    it('publishes the slots of those that are whole now', async () => {
      [letters, remaining] = [[lost, alsoLost], [alsoLost]];
      expect(await heal(finding('transaction-lost'))).toBe(true);
      expect(published()).toEqual([LACKING.slot]);
      requested = [];
      [letters, remaining] = [[alsoLost], [alsoLost]];
      expect(await heal(finding('transaction-lost'))).toBe(false);
      expect([published(), requested]).toEqual([[LACKING.slot], []]);
    });

    it('does not read slots again for what only a later version reads', async () => {
      letters = [letterOf(LACKING, 'unknown-instruction: a new one')];
      expect(await heal(finding('operations-missing'))).toBe(false);
      expect(published()).toEqual([]);
    });
  });
});
