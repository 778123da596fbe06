import { type BlockLink, type BlockRef, isChildOf, isSameBlock } from '@fresnel/domain/chain';
import { type Block } from '@fresnel/domain/events';
import { FresnelError, type Slot, toBase58 } from '@fresnel/domain/primitives';
import { type Logger } from '@fresnel/platform';
import { wait } from '@fresnel/platform/time';
import { ForkError } from './block-source';
import { type BlockRequest, getBlock, getBlockIfAny, headerRequest } from './rpc.get-block';
import { type SolanaRpc } from './solana-rpc';

/** After so many answers without the parent of a block, the block counts as orphaned. */
const ANCESTOR_ATTEMPTS = 50;

export interface BlockLinkerOptions {
  pollIntervalMs: number;
  /** A request for a whole block. */
  request: (slot: Slot) => BlockRequest<Block>;
  /** Whether the chain is that of a public cluster. */
  isPublic: (signal: AbortSignal) => Promise<boolean>;
}

/** Delivers blocks so that each is the child of the one before. What lists and single nodes say is checked here. */
export class BlockLinker {
  /** What was logged last about a block that is not linked. */
  private reported = '';
  private hasReportedChain = false;

  constructor(
    private readonly rpc: SolanaRpc,
    private readonly options: BlockLinkerOptions,
    private readonly logger: Logger,
  ) {}

  /**
   * Delivers a block. Before it, delivers its ancestors that were not listed: those after `last`, or from slot `from` on if
   * nothing was delivered yet.
   *
   * @throws ForkError when no endpoint gives a block that follows the one before
   */
  async *link(last: BlockRef | null, block: Block, from: Slot | null, signal: AbortSignal): AsyncIterable<Block> {
    if (last && isSameBlock(last, block)) return;
    const { missing, descendant } = await this.findAncestors(last, block, from, signal);
    let parent = last;
    for (const slot of missing) {
      const ancestor = await this.fetchAncestor(descendant, this.options.request(slot), signal);
      yield (parent = await this.childOf(parent, ancestor, signal));
    }
    yield await this.childOf(parent, descendant, signal);
  }

  /** Finds the ancestors that were not listed. If no node has one, the parent slot may be wrong: then another answer counts. */
  private async findAncestors(
    last: BlockRef | null,
    block: Block,
    from: Slot | null,
    signal: AbortSignal,
  ): Promise<{ missing: Slot[]; descendant: Block }> {
    try {
      return { missing: await this.findMissing(last ? last.slot + 1 : from, block, signal), descendant: block };
    } catch (error) {
      const child = last && error instanceof ForkError ? await this.findChild(last, block.slot, signal) : null;
      if (!child) throw error;
      return { missing: [], descendant: child };
    }
  }

  /** Slots of the ancestors of a block at or above slot `from`, ascending. */
  private async findMissing(from: number | null, block: Block, signal: AbortSignal): Promise<Slot[]> {
    const missing: Slot[] = [];
    let link: BlockLink = block;
    // The first block of a chain is its own parent.
    while (from !== null && link.parentSlot >= from && link.parentSlot < link.slot) {
      missing.push(link.parentSlot);
      link = await this.fetchAncestor(block, headerRequest(link.parentSlot), signal);
    }
    if (missing.length > 0) {
      this.logger.info({ from: missing.at(-1), to: missing[0] }, 'the node did not list some blocks, fetching them');
    }
    return missing.reverse();
  }

  /**
   * Requests an ancestor of a delivered block. It must exist, so the nodes are behind if they do not have it.
   *
   * @throws ForkError when they still do not have it after all attempts: then the descendant is orphaned
   */
  private async fetchAncestor<Result>(
    descendant: BlockLink,
    request: BlockRequest<Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    for (let attempt = 1; attempt <= ANCESTOR_ATTEMPTS; attempt++) {
      const found = await getBlockIfAny(this.rpc, request, signal);
      if (found !== null) return found;
      await wait(this.options.pollIntervalMs, signal);
    }
    throw new ForkError(
      `block ${descendant.slot} descends from block ${request.slot}, but the nodes report that slot as skipped`,
      descendant,
    );
  }

  /** The block, or what another endpoint gives in its place, as the child of `parent`. @throws ForkError if there is none */
  private async childOf(parent: BlockRef | null, block: Block, signal: AbortSignal): Promise<Block> {
    if (!parent || isChildOf(block, parent)) return block;
    const child =
      (await this.findChild(parent, block.slot, signal)) ?? (await this.acceptBySlot(parent, block, signal));
    if (child) return child;
    throw notLinked(parent, block);
  }

  /** Asks each endpoint for a block, until one gives a child of `parent`. */
  private async findChild(parent: BlockRef, slot: Slot, signal: AbortSignal): Promise<Block | null> {
    const faults: (LinkFault & { endpoint: number })[] = [];
    let child: Block | null = null;
    for (const [at, endpoint] of this.rpc.endpoints().entries()) {
      const header = await orNone(getBlock(endpoint, { ...headerRequest(slot), maxAttempts: 1 }, signal), signal);
      if (header && !isChildOf(header, parent)) faults.push({ endpoint: at + 1, ...faultOf(header, parent) });
      if (!header || !isChildOf(header, parent)) continue;
      const block = await orNone(getBlock(endpoint, { ...this.options.request(slot), maxAttempts: 1 }, signal), signal);
      if (block && isChildOf(block, parent)) child = block;
      if (child) break;
    }
    if (child)
      this.report('warn', { slot, faults }, 'a block that does not follow the last one, taken from another endpoint');
    else
      this.report('info', { slot, faults }, 'a block does not follow the last one, and no endpoint has one that does');
    return child;
  }

  /**
   * Local chains exist whose blocks do not name the hash of their parent. There, a block follows the one at its parent's slot as
   * long as the node has both.
   */
  private async acceptBySlot(parent: BlockRef, block: Block, signal: AbortSignal): Promise<Block | null> {
    if (block.parentSlot !== parent.slot || (await this.options.isPublic(signal))) return null;
    if (!(await this.hasBoth([parent, block], signal))) return null;
    if (!this.hasReportedChain) {
      const values = { slot: block.slot, ...faultOf(block, parent) };
      this.logger.warn(
        values,
        'blocks of this local chain do not name the hash of their parent: they are linked by slot',
      );
    }
    this.hasReportedChain = true;
    return { ...block, parentBlockhash: parent.blockhash };
  }

  /** Whether one endpoint has both blocks: the branch of another endpoint may have a block at the same slot. */
  private async hasBoth(blocks: readonly BlockRef[], signal: AbortSignal): Promise<boolean> {
    for (const endpoint of this.rpc.endpoints()) {
      let count = 0;
      for (const block of blocks) {
        const header = await orNone(
          getBlock(endpoint, { ...headerRequest(block.slot), maxAttempts: 1 }, signal),
          signal,
        );
        if (header && isSameBlock(header, block)) count++;
      }
      if (count === blocks.length) return true;
    }
    return false;
  }

  /** Logs a state once. */
  private report(level: 'warn' | 'info', values: Record<string, unknown>, sentence: string): void {
    const state = JSON.stringify([values, sentence]);
    if (state !== this.reported && !this.hasReportedChain) this.logger[level](values, sentence);
    this.reported = state;
  }
}

/** Why a block is not the child of another one. The values are in base58 if they are hashes. */
interface LinkFault {
  field: 'parentSlot' | 'previousBlockhash';
  actual: string;
  expected: string;
}

function faultOf({ parentSlot, parentBlockhash }: BlockLink, { slot, blockhash }: BlockRef): LinkFault {
  if (parentSlot !== slot) return { field: 'parentSlot', actual: String(parentSlot), expected: String(slot) };
  return { field: 'previousBlockhash', actual: toBase58(parentBlockhash), expected: toBase58(blockhash) };
}

function notLinked(parent: BlockRef, block: Block): ForkError {
  const actual = `${block.parentSlot} (${toBase58(block.parentBlockhash)})`;
  const expected = `${parent.slot} (${toBase58(parent.blockhash)})`;
  return new ForkError(
    `the parent of block ${block.slot} is ${actual}, the last block is ${expected}: the chain switched to another branch, or its ${faultOf(block, parent).field} is wrong`,
    block,
  );
}

/** Null instead of an error: another endpoint is asked. */
async function orNone<Result>(answer: Promise<Result>, signal: AbortSignal): Promise<Result | null> {
  try {
    return await answer;
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof FresnelError)) throw error;
    return null;
  }
}
