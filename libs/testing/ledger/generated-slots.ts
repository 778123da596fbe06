import { blockLinkOf } from '@fresnel/domain/chain';
import { JsonCursor, LIVE_PROGRAMS, parseBlock, TransactionParser } from '@fresnel/domain/events';
import { toSlot } from '@fresnel/domain/primitives';
import { parseSlot, type SlotEvents } from '@fresnel/domain/state';
import { type GeneratedBlock, generatedTrees } from '@fresnel/ledger-generator';

/** The slot events that ingest publishes for generated blocks. */
export function readGeneratedSlots(blocks: readonly Pick<GeneratedBlock, 'slot' | 'json'>[]): SlotEvents[] {
  const parser = new TransactionParser(LIVE_PROGRAMS);
  return blocks.map(({ slot, json }, at) => {
    const block = parseBlock(new JsonCursor(json), toSlot(slot));
    const { blockTime, blockHeight } = block;
    return {
      ...blockLinkOf(block),
      blockTime: blockTime ?? 0,
      blockHeight,
      isFirst: at === 0,
      ...parseSlot(block, blockTime ?? 0, parser),
      trees: generatedTrees(),
      signatures: block.signatures,
    };
  });
}
