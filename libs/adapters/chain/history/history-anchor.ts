import { type BlockRef, isSameBlock, isSparse } from '@fresnel/domain/chain';
import { type Slot, toSlot } from '@fresnel/domain/primitives';
import { type Logger } from '@fresnel/platform';
import { type BlockSource, ForkError } from '../block-source';
import { type BranchQuestion, FinalizedBranch, UnprovenBranchError } from '../finalized-branch';
import { type StoredHistory } from './stored-history';

/** The final block of the node at which history ends. It is decided once, in the database: every ingest of an index has the same. */
export class HistoryAnchor {
  constructor(
    private readonly node: BlockSource,
    private readonly stored: Pick<StoredHistory, 'findAnchor' | 'decideAnchor'>,
    /** How far it is below the tip, at least. */
    private readonly distance: number,
    private readonly logger: Logger,
  ) {}

  /** Null as long as it is not decided. */
  find(): Promise<BlockRef | null> {
    return this.stored.findAnchor();
  }

  /** The newest final block that is far enough below the tip; null if the chain is shorter. */
  async findCandidate(signal: AbortSignal): Promise<BlockRef | null> {
    const slot = (await this.node.findTip(signal)) - this.distance;
    return slot < 0 ? null : this.findLinkedBlock(toSlot(slot), signal);
  }

  /** Decides it, unless another ingest has. */
  async decide(candidate: BlockRef): Promise<void> {
    const { slot } = await this.stored.decideAnchor(candidate, null);
    this.logger.info({ slot }, 'history is read up to this block of the node, the anchor');
  }

  /**
   * Attested history has no branches. Only the anchor may turn out to be no block of the chain, if a node gave a wrong answer. Then the
   * block of the chain at its slot, or the next one, takes its place.
   *
   * @throws see `BlockSource.readFinalized`
   */
  async readFinalized(question: BranchQuestion, signal: AbortSignal): Promise<FinalizedBranch> {
    const known = question.known.filter((block) => !isSparse(block));
    const oldest = known.at(0);
    if (!oldest) throw new UnprovenBranchError('history is not read up to the anchor yet', question.upTo, null);
    const anchor = await this.find();
    try {
      return await this.node.readFinalized({ ...question, known }, signal);
    } catch (error) {
      const before = question.known.findLast(isSparse);
      if (!(error instanceof ForkError) || !anchor || !before || !isSameBlock(oldest, anchor)) throw error;
      const block = await this.findLinkedBlock(anchor.slot, signal);
      if (!block || isSameBlock(block, anchor)) throw error;
      const decided = await this.stored.decideAnchor(block, anchor);
      const values = { slot: anchor.slot, instead: decided.slot };
      this.logger.error(values, 'the anchor is no block of the chain: another one takes its place');
      const link = { ...decided, parentSlot: before.slot, parentBlockhash: before.blockhash };
      return new FinalizedBranch(before, [link]);
    }
  }

  /** The first block of the node from a slot on, once another one names it as its parent. */
  private async findLinkedBlock(slot: Slot, signal: AbortSignal): Promise<BlockRef | null> {
    let first: BlockRef | null = null;
    for await (const block of this.node.blocksFrom(slot, signal)) {
      if (first) return first;
      first = { slot: block.slot, blockhash: block.blockhash };
    }
    return null;
  }
}
