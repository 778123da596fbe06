import { blockKey, type BlockLink, type BlockRef, blockRefOf } from '@fresnel/domain/chain';
import { toSlot } from '@fresnel/domain/primitives';
import { blockhashAt, blockLinkAt } from '@fresnel/testing/chain';
import { type BlockRecord, RecentBlocks } from './recent-blocks';

// 10 ── 11'             ingest A publishes 10 and 11'. Then it reverts 11' and goes on, or it is killed and B reverts 11'.
//  └─── 12 ── 13        ingest B publishes 10, 12 and 13, and has never seen 11'.

const link = (slot: number, branch: string, parent: number): BlockLink => ({
  ...blockLinkAt(slot, branch),
  parentSlot: toSlot(parent),
  parentBlockhash: blockhashAt(parent),
});
const [B10, B11, B12, B13] = [link(10, 'main', 9), link(11, 'other', 10), link(12, 'main', 10), link(13, 'main', 12)];

/** A record of a block, or its revert. */
type Message = BlockRecord | { reverted: BlockRef };

/** A prover of one partition: the blocks, and the changes in a tree. */
class Prover {
  constructor(
    readonly recent = new RecentBlocks([]),
    readonly changes: readonly BlockRef[] = [],
  ) {}

  receive(message: Message): Prover {
    const recent = new RecentBlocks(this.recent.all);
    if ('reverted' in message) {
      const { reverted } = message;
      const orphaned = recent.markOrphaned(reverted);
      return new Prover(
        recent,
        this.changes.filter((one) => !orphaned.some((other) => isSame(one, other))),
      );
    }
    const { block, changesTrees } = message;
    const isNew = changesTrees && !this.changes.some((one) => isSame(one, block));
    const isApplied = recent.admit(message) === 'applied';
    return new Prover(recent, isApplied && isNew ? [...this.changes, blockRefOf(block)] : this.changes);
  }
}

const isSame = (one: BlockRef, other: BlockRef) => blockKey(one) === blockKey(other);
const namesOf = (blocks: readonly BlockRef[]) => blocks.map(({ slot }) => slot).join(' ');

/** Delivers the messages of several sources in every order that keeps the order of each. */
function forEveryOrder(
  sources: readonly (readonly Message[])[],
  prover: Prover,
  visit: (prover: Prover, isEnd: boolean) => void,
) {
  const isEnd = sources.every((messages) => messages.length === 0);
  visit(prover, isEnd);
  sources.forEach((messages, at) => {
    if (messages.length === 0) return;
    const rest = sources.map((each, index) => (index === at ? each.slice(1) : each));
    forEveryOrder(rest, prover.receive(messages[0]), visit);
  });
}

describe.each([
  { isSilent: false, isKilled: false },
  { isSilent: true, isKilled: false },
  { isSilent: false, isKilled: true },
  { isSilent: true, isKilled: true },
])(
  'every order of the records of two ingests: 12 is silent: $isSilent, A is killed: $isKilled',
  ({ isSilent, isKilled }) => {
    const change = (block: BlockLink, previous: BlockLink | null): BlockRecord => ({
      block,
      previousChange: previous && blockRefOf(previous),
      silentBlocks: [],
      changesTrees: true,
      isRepublished: false,
    });
    const revert = { reverted: blockRefOf(B11) };
    const canonical = [...(isSilent ? [] : [change(B12, B10)]), change(B13, isSilent ? B10 : B12)];
    const ofA = [change(B10, null), change(B11, B10), ...(isKilled ? [] : [revert, ...canonical])];
    const ofB = [change(B10, null), ...canonical];
    const path = isSilent ? '10 13' : '10 12 13';

    it('has the changes of one branch at any time, and those of the chain at the end', () => {
      const ends: Prover[] = [];
      forEveryOrder([ofA, ofB], new Prover(), (prover, isEnd) => {
        expect([path, '10 11'].some((one) => one.startsWith(namesOf(prover.changes)))).toBe(true);
        if (isEnd) ends.push(prover);
      });
      // The ingest that reverts publishes the blocks above the fork point again.
      for (const end of ends) {
        const repaired = [...(isKilled ? [revert] : []), ...canonical].reduce(
          (prover, each) => prover.receive(each),
          end,
        );
        expect(namesOf(repaired.changes)).toBe(path);
        expect(repaired.recent.hasRefused).toBe(false);
      }
      expect(ends.length).toBeGreaterThan(5);
    });

    it('serves the orphaned block only as long as nothing contradicts it', () => {
      forEveryOrder([ofA, ofB], new Prover(), ({ changes, recent }, isEnd) => {
        if (isEnd && namesOf(changes) === '10 11') expect(recent.hasRefused).toBe(true);
      });
    });
  },
);
