import { type Slot } from '@fresnel/domain/primitives';
import { type BlockSource } from '../block-source';
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
