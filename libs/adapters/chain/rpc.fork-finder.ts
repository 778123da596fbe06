import { type BlockLink, type BlockRef, isSameBlock, parentOf } from '@fresnel/domain/chain';
import { asFields, asSlot, asText, parseHash, type Slot, toBase58 } from '@fresnel/domain/primitives';
import { type Logger } from '@fresnel/platform';
import { ForkError } from './block-source';
import { CLEANED_UP, getBlock, getTip, NOT_AVAILABLE, SKIPPED } from './rpc.get-block';
import { RpcAnswerError, type SolanaRpc } from './solana-rpc';

/** Why a node's answers prove no fork. */
class UnprovenForkError extends Error {}

/**
 * Finds the block that a chain goes on from, by a node's own blocks.
 *
 * ```
 *   held     … ── 103 ── 104 ── 105 ── 106          newest held: 106
 *                   │
 *                   └─── 105' ── 107'               107' does not follow 106: its ancestors lead to 103
 * ```
 *
 * A node that is behind, that still has the newest block held, or that cannot show every block in between, has proved
 * nothing: taking slots back on its word would take back what the chain still has.
 */
export class RpcForkFinder {
  constructor(
    private readonly rpc: SolanaRpc,
    private readonly logger: Logger,
  ) {}

  /** As the port has it. */
  async findForkPoint(held: readonly BlockRef[], block: BlockLink, signal: AbortSignal): Promise<BlockRef | null> {
    try {
      await this.requireOrphaned(held, block, signal);
      return await this.followParents(held, block, signal);
    } catch (error) {
      if (!(error instanceof UnprovenForkError)) throw error;
      const values = { slot: block.slot, parentSlot: block.parentSlot, last: held.at(-1)?.slot, reason: error.message };
      this.logger.warn(
        values,
        'a block does not follow the last one, and the node does not prove a fork: asking again',
      );
      return null;
    }
  }

  /** As the port has it. */
  async has(block: BlockRef, signal: AbortSignal): Promise<boolean> {
    const frame = await this.findLink(block.slot, signal);
    return frame !== null && isSameBlock(frame, block);
  }

  /** @throws Doubt while the node is behind, or still has the newest block that is held */
  private async requireOrphaned(held: readonly BlockRef[], block: BlockLink, signal: AbortSignal): Promise<void> {
    const newest = held.at(-1);
    if (!newest || isSameBlock(newest, block)) return;
    const tip = await getTip(this.rpc, signal);
    if (tip < newest.slot) throw new UnprovenForkError(`the node is at slot ${tip}, behind the last one`);
    if (await this.has(newest, signal)) throw new UnprovenForkError('the node has the last one still');
  }

  /** @throws Doubt where a link is missing, ForkError where they lead past everything that is held */
  private async followParents(held: readonly BlockRef[], block: BlockLink, signal: AbortSignal): Promise<BlockRef> {
    let link = block;
    for (;;) {
      const parent = parentOf(link);
      const ancestor = held.find((each) => isSameBlock(each, parent));
      if (ancestor) return ancestor;
      if (parent.slot <= (held.at(0)?.slot ?? 0)) throw tooDeep(held, block);
      if (parent.slot >= link.slot) throw new UnprovenForkError(`block ${link.slot} names a parent at ${parent.slot}`);
      const frame = await this.findLink(parent.slot, signal);
      if (!frame) throw new UnprovenForkError(`the node cannot give block ${parent.slot}, the parent of ${link.slot}`);
      if (!isSameBlock(frame, parent))
        throw new UnprovenForkError(`block ${link.slot} names another parent than the node has`);
      link = frame;
    }
  }

  /** @returns null where the node cannot give it at present, for whatever reason */
  private async findLink(slot: Slot, signal: AbortSignal): Promise<BlockLink | null> {
    const parse = (result: unknown) => (result === null ? null : parseLink(slot, result));
    const finalCodes = [...SKIPPED, ...NOT_AVAILABLE, CLEANED_UP];
    try {
      return await getBlock(this.rpc, { slot, transactionDetails: 'none', parse, finalCodes }, signal);
    } catch (error) {
      if (error instanceof RpcAnswerError && finalCodes.includes(error.rpcCode)) return null;
      throw error;
    }
  }
}

function parseLink(slot: Slot, result: unknown): BlockLink {
  const { blockhash, parentSlot, previousBlockhash } = asFields(result);
  return {
    slot,
    blockhash: parseHash(asText(blockhash)),
    parentSlot: asSlot(parentSlot),
    parentBlockhash: parseHash(asText(previousBlockhash)),
  };
}

function tooDeep(held: readonly BlockRef[], { slot, blockhash }: BlockLink): ForkError {
  const [oldest, newest] = [held.at(0), held.at(-1)].map((each) => each?.slot ?? 'none');
  return new ForkError(
    `block ${slot} (${toBase58(blockhash)}) descends from none of the ${held.length} blocks that are held, ${oldest} to ${newest}: the chain went on from an older block, or the node serves another chain. Check the node; if it is right, index anew from an empty database, empty topics and an empty Redis`,
  );
}
