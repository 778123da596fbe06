import { type BlockLink } from '@fresnel/domain/chain';
import { type Slot, toSlot } from '@fresnel/domain/primitives';
import { type Logger } from '@fresnel/platform';
import { MissingHistoryError } from './block-source';
import { PUBLIC_CLUSTERS } from './clusters';
import { type BlockLister } from './rpc.block-lister';
import { type BlockHeader, getBlockIfAny, headerRequest } from './rpc.get-block';
import { type SolanaRpc } from './solana-rpc';

/** How many slots after the genesis block are searched. The clusters have abandoned some thousands. */
const SEARCHED_SLOTS = 20_000;
/** The chain before Alpenglow had no gap of so many slots: a child that is further from the genesis block is not abandoned. */
const LONG_GAP = 512;
const GENESIS_SLOTS = [...PUBLIC_CLUSTERS.values()].map(({ alpenglowGenesis }) => alpenglowGenesis);

export interface AbandonedBlocksOptions {
  /** Finds the genesis hash of the chain. */
  identify: (signal: AbortSignal) => Promise<string>;
  /** Number of headers requested at the same time. */
  concurrency: number;
}

/**
 * The blocks that a public cluster abandoned when it migrated to Alpenglow. Most nodes have deleted them, but an archive may
 * list and serve them as finalized.
 *
 * ```
 *   genesis block ── abandoned ── abandoned ── … thousands … ── abandoned
 *         └─────────────────────────────────────────────────────────────── first block of Alpenglow ── …
 * ```
 *
 * They are more than can be reverted once they are published. Therefore the first block of Alpenglow, which is the newest child
 * of the genesis block, is looked for before any block after the genesis block is delivered.
 */
export class AbandonedBlocks {
  /** The first block of Alpenglow; null: the nodes have no child of the genesis block; undefined: not looked for yet. */
  private first: Slot | null | undefined;

  constructor(
    private readonly rpc: SolanaRpc,
    private readonly lister: BlockLister,
    private readonly options: AbandonedBlocksOptions,
    private readonly logger: Logger,
  ) {}

  /** Removes the slots of abandoned blocks from those that are listed up to the tip. */
  async removeFrom(slots: readonly Slot[], tip: Slot, signal: AbortSignal): Promise<readonly Slot[]> {
    const genesis = GENESIS_SLOTS.find((each) => slots.some((slot) => slot > each && slot <= each + SEARCHED_SLOTS));
    if (genesis === undefined) return slots;
    if (PUBLIC_CLUSTERS.get(await this.options.identify(signal))?.alpenglowGenesis !== genesis) return slots;
    if (this.first === undefined) this.first = await this.findFirst(genesis, tip, signal);
    const first = this.first ?? genesis;
    const kept = slots.filter((slot) => slot <= genesis || slot >= first);
    if (kept.length < slots.length)
      this.logger.info(
        { genesis, first, blocks: slots.length - kept.length },
        'the cluster abandoned blocks when it migrated to Alpenglow: they are left out',
      );
    return kept;
  }

  /** @returns the slot of the newest child of the genesis block; null if none of the nodes has one */
  private async findFirst(genesis: number, tip: Slot, signal: AbortSignal): Promise<Slot | null> {
    const end = Math.min(tip, genesis + SEARCHED_SLOTS);
    let newest: Slot | null = null;
    let read = genesis;
    const { concurrency } = this.options;
    for (let from = genesis + 1; from <= end;) {
      const { slots, until } = await this.lister.list(toSlot(from), tip, signal);
      for (let at = 0; at < slots.length; at += concurrency) {
        const headers = await Promise.all(
          slots.slice(at, at + concurrency).map((slot) => this.findHeader(slot, signal)),
        );
        for (const header of headers) {
          const child = header && (await this.findFirstAfter(read, header, signal));
          if (child?.parentSlot === genesis) newest = child.slot;
          if (newest !== null && newest > genesis + LONG_GAP) return newest;
          read = header?.slot ?? read;
        }
      }
      from = until + 1;
    }
    return newest;
  }

  /** The block itself, or its oldest ancestor after a slot: a list may lack blocks. */
  private async findFirstAfter(slot: number, header: BlockHeader, signal: AbortSignal): Promise<BlockLink> {
    let link: BlockLink = header;
    while (link.parentSlot > slot && link.parentSlot < link.slot) {
      const parent = await this.findHeader(link.parentSlot, signal);
      if (!parent) break;
      link = parent;
    }
    return link;
  }

  /** @returns null if no node has the block */
  private async findHeader(slot: Slot, signal: AbortSignal): Promise<BlockHeader | null> {
    try {
      return await getBlockIfAny(this.rpc, headerRequest(slot), signal);
    } catch (error) {
      if (error instanceof MissingHistoryError) return null;
      throw error;
    }
  }
}
