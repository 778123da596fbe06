import { type BlockLink, type BlockRef, Branch, isSameBlock, parentOf } from '@fresnel/domain/chain';
import { asFields, asSlot, asText, parseHash, type Slot, toBase58 } from '@fresnel/domain/primitives';
import { type Logger } from '@fresnel/platform';
import { ForkError } from './block-source';
import { CLEANED_UP, getBlock, getTip, NOT_AVAILABLE, SKIPPED } from './rpc.get-block';
import { RpcAnswerError } from './rpc-answer';
import { type SolanaRpc } from './solana-rpc';

/** The node's responses do not prove a fork. The message is the reason. */
class UnprovenForkError extends Error {}

/**
 * Finds the fork point of an unlinked block: reads its ancestors from the node until one of them is a published block.
 *
 * ```
 *   published   … ── 103 ── 104 ── 105 ── 106       newest published block: 106
 *                     │
 *                     └─── 105' ── 107'             unlinked block: 107', fork point: 103
 * ```
 *
 * A node proves no fork while it is behind, while it still has the newest published block, or if it does not return
 * every ancestor. A revert without proof could revert blocks that are still on the chain.
 */
export class RpcForkFinder {
  constructor(
    private readonly rpc: SolanaRpc,
    private readonly logger: Logger,
  ) {}

  /** See `BlockSource.findForkPoint`. */
  async findForkPoint(published: readonly BlockRef[], block: BlockLink, signal: AbortSignal): Promise<BlockRef | null> {
    const branch = new Branch(published.length, published);
    try {
      await this.requireOrphaned(branch, block, signal);
      return await this.followParents(branch, block, signal);
    } catch (error) {
      if (!(error instanceof UnprovenForkError)) throw error;
      const values = { slot: block.slot, parentSlot: block.parentSlot, last: branch.tip?.slot, reason: error.message };
      this.logger.warn(values, 'unlinked block, and the node does not prove a fork: reading blocks again');
      return null;
    }
  }

  /** See `BlockSource.has`. */
  async has(block: BlockRef, signal: AbortSignal): Promise<boolean> {
    const found = await this.findLink(block.slot, signal);
    return found !== null && isSameBlock(found, block);
  }

  /** @throws UnprovenForkError while the node is behind, or still has the newest published block */
  private async requireOrphaned({ tip: newest }: Branch, block: BlockLink, signal: AbortSignal): Promise<void> {
    if (!newest || isSameBlock(newest, block)) return;
    const nodeTip = await getTip(this.rpc, signal);
    if (nodeTip < newest.slot)
      throw new UnprovenForkError(`the node is at slot ${nodeTip}, behind the last published block ${newest.slot}`);
    if (await this.has(newest, signal))
      throw new UnprovenForkError(`the node still has the last published block ${newest.slot}`);
  }

  /**
   * @throws UnprovenForkError if an ancestor is missing, ForkError if the ancestors are older than all published blocks
   */
  private async followParents(branch: Branch, block: BlockLink, signal: AbortSignal): Promise<BlockRef> {
    let link = block;
    for (;;) {
      const forkPoint = branch.findParent(link);
      if (forkPoint) return forkPoint;
      const parent = parentOf(link);
      if (parent.slot <= (branch.oldest?.slot ?? 0)) throw tooDeep(branch, block);
      if (parent.slot >= link.slot)
        throw new UnprovenForkError(`block ${link.slot} has a parent slot that is not below it: ${parent.slot}`);
      const ancestor = await this.findLink(parent.slot, signal);
      if (!ancestor)
        throw new UnprovenForkError(`the node does not return block ${parent.slot}, the parent of block ${link.slot}`);
      if (!isSameBlock(ancestor, parent))
        throw new UnprovenForkError(`the node has another block ${parent.slot} than the parent of block ${link.slot}`);
      link = ancestor;
    }
  }

  /** @returns null if the node does not return the block now */
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

function tooDeep({ oldest, tip, blocks }: Branch, { slot, blockhash }: BlockLink): ForkError {
  return new ForkError(
    `block ${slot} (${toBase58(blockhash)}) descends from none of the ${blocks.length} newest published blocks, ${oldest?.slot ?? 'none'} to ${tip?.slot ?? 'none'}: the fork is too deep, or the node serves another chain. Check the node; if it is correct, rebuild the index with an empty database, empty topics and an empty Redis`,
  );
}
