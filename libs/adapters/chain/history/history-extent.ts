import { type Slot } from '@fresnel/domain/primitives';
import { type BlockSource, MissingHistoryError } from '../block-source';
import { type HistoryExtent, HistoryRefusedError, type HistorySource } from './history-source';

/**
 * What a source has, if it ends at a block.
 *
 * @param startSlot the configured first slot of the index; null: none is
 * @returns null if it goes up to the tip of the chain
 * @throws HistoryRefusedError if it is of another chain than the node, or begins too late
 */
export async function findExtentOf(
  source: HistorySource,
  node: Pick<BlockSource, 'identify'>,
  startSlot: Slot | null,
  signal: AbortSignal,
): Promise<HistoryExtent | null> {
  const extent = await source.findExtent?.(signal);
  if (!extent) return null;
  const chain = await node.identify(signal);
  if (extent.genesisHash !== chain) {
    throw new HistoryRefusedError(
      `the ${source.name} is of the chain with genesis ${extent.genesisHash}, and the node of SOLANA_RPC_URL of ${chain}`,
    );
  }
  if (startSlot !== null && startSlot < extent.from) {
    throw new HistoryRefusedError(
      `the ${source.name} begins at slot ${extent.from}, and INGEST_START_SLOT is ${startSlot}: leave it unset, or choose a snapshot of an index that begins earlier`,
    );
  }
  return extent;
}

/**
 * Blocks follow the end of a source: so a node must still have them, which is found out before hours of reading.
 *
 * @throws HistoryRefusedError if no node has them any more
 */
export async function requireBlocksAfter(
  { anchor: { slot } }: HistoryExtent,
  { name }: HistorySource,
  node: Pick<BlockSource, 'findTip' | 'blocksFrom'>,
  signal: AbortSignal,
): Promise<void> {
  if ((await node.findTip(signal)) < slot) return;
  try {
    const blocks = node.blocksFrom(slot, signal)[Symbol.asyncIterator]();
    await blocks.next();
    await blocks.return?.();
  } catch (error) {
    if (!(error instanceof MissingHistoryError)) throw error;
    throw new HistoryRefusedError(
      `the ${name} ends at slot ${slot}, and no node of SOLANA_RPC_URL has the blocks after it any more (${error.message}). Use a newer snapshot or a node with more history, or leave the snapshot out of HISTORY_URL and begin a new index with another source, such as getTransactionsForAddress or an SQD Portal`,
      { cause: error },
    );
  }
}
