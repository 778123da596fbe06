import { type BlockSource, RpcBlockSource, type RpcBlockSourceOptions, SolanaRpc } from '@fresnel/adapters/chain';
import { type BlockRef } from '@fresnel/domain/chain';
import { type Block } from '@fresnel/domain/events';
import { type FakeNode } from '@fresnel/testing/chain';
import { captureLog, type LogLine } from '@fresnel/testing/generic';

/** A client of a fake node that hardly pauses, and what it logs. */
export function createTestRpc(node: FakeNode): { rpc: SolanaRpc; lines: LogLine[] } {
  const { logger, lines } = captureLog();
  const options = { url: node.url, timeoutMs: 10_000, backoff: { firstMs: 1, longestMs: 4 } };
  return { rpc: new SolanaRpc(options, logger), lines };
}

/** A source that follows a fake node, and what it logs. */
export function createTestSource(
  node: FakeNode,
  options: Partial<RpcBlockSourceOptions> = {},
): { source: RpcBlockSource; lines: LogLine[] } {
  const { logger, lines } = captureLog();
  const { rpc } = createTestRpc(node);
  const usual = { startSlot: null, concurrency: 4, pollIntervalMs: 2 };
  return { source: new RpcBlockSource(rpc, { ...usual, ...options }, logger), lines };
}

/** A test that waits so long for a block waits for one that will not come. */
const PATIENCE_MS = 4_000;

/**
 * Takes blocks until there are so many, then tells the source to stop, and waits until it has. Fewer where no more come
 * for a while.
 */
export async function takeBlocks(source: BlockSource, count: number, after: BlockRef | null = null): Promise<Block[]> {
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(PATIENCE_MS)]);
  const taken: Block[] = [];
  for await (const block of source.blocks(after, signal)) {
    taken.push(block);
    if (taken.length === count) stop.abort();
  }
  return taken;
}

/** The same, and only the slots of the blocks. */
export async function takeSlots(source: BlockSource, count: number, after: BlockRef | null = null): Promise<number[]> {
  return (await takeBlocks(source, count, after)).map(({ slot }) => slot);
}
