import { type BranchQuestion, FinalizedBranch, UnprovenBranchError } from '@fresnel/adapters/chain';
import { type Block } from '@fresnel/domain/events';
import { blockKey, type BlockLink, type BlockRef } from '@fresnel/domain/chain';
import { type SlotEvents } from '@fresnel/domain/state';
import { type Slot, toSlot } from '@fresnel/domain/primitives';
import { blockhashAt, blockLinkAt, range } from '@fresnel/testing/chain';
import { captureLog } from '@fresnel/testing/generic';
import { PlayedBlocks, RecordingBus } from '@fresnel/testing/ingest';
import { IndexRepairer } from './index.repairer';
import { type Correction } from '../follow/published-blocks';
import { type SlotReader } from '../read/slot.reader';
import { type StoredBlock } from './stored-blocks';

const refOf = (slot: number, branch = 'main'): BlockRef => ({
  slot: toSlot(slot),
  blockhash: blockhashAt(slot, branch),
});
const links = (slots: readonly number[]) => slots.map((slot) => blockLinkAt(slot));
const toBlock = (link: BlockLink): Block => ({
  ...link,
  blockTime: 0,
  blockHeight: null,
  transactionCount: 0,
  transactions: [],
  signatures: null,
});

/** The chain has all slots from 1 to 200, and tables have indexed them up to `indexed`. */
class Scenario {
  indexed = 100;
  /** What tables and trees name besides the indexed blocks. */
  named: StoredBlock[] = [];
  suspects: BlockRef[] = [];
  /** The newest applied change of each partition of trees. */
  applied: (BlockRef & { changesTrees?: boolean })[] = [];
  /** Slots of indexed blocks that change a tree. */
  changes: number[] = [];
  tip = 200;
  /** The newest slot that the nodes have finalized. */
  finalized = 200;
  readonly questions: BranchQuestion[] = [];
  readonly corrections: Correction[] = [];
  readonly bus = new RecordingBus();
  readonly log = captureLog();
  readonly source = new PlayedBlocks(links(range(1, 200)).map(toBlock));
  private repairer: IndexRepairer | null = null;

  repair(): Promise<void> {
    this.source.tip = { slot: toSlot(this.tip), seenAt: new Date(0) };
    this.source.readFinalized = ((question: BranchQuestion) => this.readFinalized(question)) as never;
    const findIndexed = (upTo = Infinity) => {
      const indexed = links(range(1, Math.min(this.indexed, upTo))).slice(-32);
      return Promise.resolve(indexed.map((block) => ({ ...block, changesTrees: this.changes.includes(block.slot) })));
    };
    const inTables = () => links(range(1, this.indexed)).map((block): StoredBlock => ({ ...block, state: 'stored' }));
    const stored = {
      findIndexed,
      hasAfter: (slot: number) => Promise.resolve(this.named.some((block) => block.slot > slot)),
      findBetween: (after: number, upTo: number) =>
        Promise.resolve([...inTables(), ...this.named].filter(({ slot }) => slot > after && slot <= upTo)),
      listTreeBlocks: () =>
        Promise.resolve(
          this.applied.map((block) => [{ changesTrees: true, ...block, parentSlot: null, state: 'admitted' } as const]),
        ),
      findSuspects: () => Promise.resolve(this.suspects),
    };
    const reader = {
      read: (block: BlockLink) =>
        Promise.resolve({ ...block, transactions: [], deadLetters: [] } as unknown as SlotEvents),
    };
    const follow = {
      correct: (correction: Correction) => Promise.resolve(void this.corrections.push(correction)),
    };
    const parts = { stored, source: this.source, bus: this.bus, reader: reader as unknown as SlotReader, follow };
    this.repairer ??= new IndexRepairer(parts, 0, this.log.logger);
    return this.repairer.repair(new AbortController().signal);
  }

  private readFinalized(question: BranchQuestion): Promise<FinalizedBranch> {
    this.questions.push(question);
    const { known, upTo } = question;
    if (upTo > this.finalized) throw new UnprovenBranchError('its newest finalized slot is below', upTo, 1);
    const forkPoint = known.findLast((block) => blockKey(block) === blockKey(blockLinkAt(block.slot))) ?? null;
    return Promise.resolve(new FinalizedBranch(forkPoint, links(range((forkPoint?.slot ?? 0) + 1, upTo))));
  }

  get published(): Slot[] {
    return this.bus.slots.map(({ slot }) => slot);
  }
}

const NOTHING = { orphaned: [], adopted: [] };
const stateOf = (block: BlockRef, state: StoredBlock['state']): StoredBlock => ({ ...block, state });

describe('IndexRepairer', () => {
  let scenario: Scenario;
  beforeEach(() => {
    scenario = new Scenario();
  });

  describe('does not ask the nodes', () => {
    it('while tables have no block after the indexed one', async () => {
      await scenario.repair();
      expect(scenario.questions).toEqual([]);
    });

    it('while the indexed block is not final', async () => {
      scenario.named = [stateOf(refOf(102), 'stored')];
      scenario.tip = 131;
      await scenario.repair();
      expect(scenario.questions).toEqual([]);
    });

    it('if the index advances when consumers have applied everything', async () => {
      scenario.named = [stateOf(refOf(102), 'stored')];
      scenario.bus.applied = () => {
        scenario.indexed++;
        return Promise.resolve();
      };
      await scenario.repair();
      expect(scenario.questions).toEqual([]);
    });
  });

  it('publishes blocks that tables lack, as a range', async () => {
    scenario.named = [101, 104, 107].map((slot) => stateOf(refOf(slot), 'stored'));
    scenario.tip = 138;
    await scenario.repair();
    expect(scenario.published).toEqual([102, 103, 105, 106]);
    expect(scenario.bus.ofKind('slot').every(({ isOfRange }) => isOfRange)).toBe(true);
    expect(scenario.corrections).toEqual([]);
  });

  it('publishes nothing if the node delivers another block than the finalized one', async () => {
    scenario.named = [stateOf(refOf(104), 'stored')];
    const read = scenario.source.blocksFrom.bind(scenario.source);
    scenario.source.blocksFrom = async function* (slot) {
      for await (const block of read(slot)) yield block.slot === 103 ? toBlock(blockLinkAt(103, 'other')) : block;
    };
    await scenario.repair();
    expect(scenario.published).toEqual([]);
  });

  it('asks again and logs once while the nodes prove nothing', async () => {
    scenario.named = [stateOf(refOf(104), 'stored')];
    scenario.finalized = 120;
    for (let time = 0; time < 3; time++) await scenario.repair();
    expect([scenario.published, scenario.corrections, scenario.questions.length]).toEqual([[], [], 3]);
    expect(scenario.log.lines).toMatchObject([{ level: 'warn', awaitedSlot: 164, endpoint: 1 }]);
  });

  describe('has corrected:', () => {
    it('blocks that the chain excludes, newest first, each once', async () => {
      const [one, other] = [refOf(101, 'other'), refOf(103, 'other')];
      scenario.named = [stateOf(one, 'stored'), stateOf(one, 'admitted'), stateOf(other, 'admitted')];
      scenario.applied = [refOf(97), refOf(99)];
      await scenario.repair();
      expect(scenario.corrections).toEqual([
        expect.objectContaining({
          forkPoint: expect.objectContaining(refOf(100)),
          newestChange: refOf(99),
          adopted: [],
        }),
      ]);
      expect(scenario.corrections[0].orphaned).toMatchObject([other, one]);
      expect(scenario.corrections[0].branch).toMatchObject(links(range(69, 100)));
    });

    it('reverted blocks that the chain has, oldest first', async () => {
      scenario.named = [refOf(103), refOf(101), refOf(102, 'other')].map((block) => stateOf(block, 'orphaned'));
      await scenario.repair();
      expect(scenario.corrections).toMatchObject([{ orphaned: [], adopted: links([101, 103]), newestChange: null }]);
    });

    it('a block of trees that the index has passed without it', async () => {
      const suspect = refOf(90, 'other');
      scenario.suspects = [suspect];
      scenario.named = [stateOf(suspect, 'admitted')];
      scenario.tip = 131;
      await scenario.repair();
      expect(scenario.corrections).toMatchObject([{ forkPoint: refOf(89), orphaned: [suspect] }]);
    });

    it('refused blocks of the chain: it continues after the newest change that all trees have', async () => {
      scenario.suspects = [refOf(95), refOf(97)];
      scenario.named = scenario.suspects.map((block) => stateOf(block, 'refused'));
      scenario.applied = [refOf(93), refOf(90), refOf(93)];
      scenario.tip = 131;
      await scenario.repair();
      expect(scenario.corrections).toMatchObject([{ ...NOTHING, newestChange: refOf(90) }]);
      expect(scenario.corrections[0].branch.at(-1)).toMatchObject(blockLinkAt(90));
    });

    it('blocks after which trees lack a change of the chain: it continues before the first one', async () => {
      scenario.named = [stateOf(refOf(101, 'other'), 'stored')];
      scenario.changes = [93, 97, 99];
      scenario.applied = [refOf(99), refOf(93)];
      await scenario.repair();
      expect(scenario.corrections).toMatchObject([{ forkPoint: refOf(100), newestChange: refOf(93) }]);
      expect(scenario.corrections[0].branch.at(-1)).toMatchObject(blockLinkAt(96));
    });

    it('blocks after which trees lack the first change of the chain', async () => {
      scenario.named = [stateOf(refOf(101, 'other'), 'stored')];
      scenario.changes = [97];
      scenario.applied = [{ ...refOf(95), changesTrees: false }];
      await scenario.repair();
      expect(scenario.corrections).toMatchObject([{ forkPoint: refOf(100), newestChange: null }]);
      expect(scenario.corrections[0].branch.at(-1)).toMatchObject(blockLinkAt(96));
    });

    it('refused blocks of the chain, if tables have deleted the blocks before', async () => {
      scenario.suspects = [refOf(95)];
      scenario.named = [stateOf(refOf(95), 'refused')];
      scenario.applied = [refOf(0)];
      scenario.tip = 131;
      await scenario.repair();
      expect(scenario.corrections).toMatchObject([{ ...NOTHING, branch: [refOf(0)], newestChange: refOf(0) }]);
    });
  });

  it('repairs a standing index also while suspects are not decided', async () => {
    scenario.suspects = [refOf(170)];
    scenario.named = [stateOf(refOf(170), 'refused'), ...[101, 104].map((slot) => stateOf(refOf(slot), 'stored'))];
    scenario.finalized = 164;
    await scenario.repair();
    expect(scenario.published.slice(0, 2)).toEqual([102, 103]);
    expect(scenario.corrections).toEqual([]);
  });
});
