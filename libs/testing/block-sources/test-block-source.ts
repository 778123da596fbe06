import { type BlockSource, RpcBlockSource, type RpcBlockSourceOptions, SolanaRpc } from '@fresnel/adapters/chain';
import { type BlockRef } from '@fresnel/domain/chain';
import { type Block } from '@fresnel/domain/events';
import { type FakeNode } from '@fresnel/testing/chain';
import { captureLog, type LogLine } from '@fresnel/testing/generic';

/** A client of a fake node with a short backoff, and its log lines. @param others further endpoints */
export function createTestRpc(node: FakeNode, ...others: FakeNode[]): { rpc: SolanaRpc; lines: LogLine[] } {
  const { logger, lines } = captureLog();
  const options = {
    urls: [node, ...others].map(({ url }) => url),
    timeoutMs: 10_000,
    backoff: { firstMs: 1, longestMs: 4 },
  };
  return { rpc: new SolanaRpc(options, logger), lines };
}

/** A source that polls a fake node, and its log lines. @param node one endpoint, or several */
export function createTestSource(
  node: FakeNode | readonly FakeNode[],
  options: Partial<RpcBlockSourceOptions> = {},
): { source: RpcBlockSource; lines: LogLine[] } {
  const { logger, lines } = captureLog();
  const [first, ...others] = [node].flat();
  const { rpc } = createTestRpc(first, ...others);
  const defaults = { startSlot: null, concurrency: 4, pollIntervalMs: 2, stuckAfterMs: 250, accountCompression: null };
  return { source: new RpcBlockSource(rpc, { ...defaults, ...options }, logger), lines };
}

/** When none was received for this time, no more blocks are expected. */
const TIMEOUT_MS = 60_000;

/**
 * Reads blocks until `count` are received, then aborts the source and waits until it has stopped. Returns fewer blocks on
 * timeout.
 */
export async function takeBlocks(source: BlockSource, count: number, after: BlockRef | null = null): Promise<Block[]> {
  const stop = new AbortController();
  const timeout = setTimeout(() => {
    stop.abort();
  }, TIMEOUT_MS);
  const blocks: Block[] = [];
  try {
    for await (const block of source.blocks(after, stop.signal)) {
      timeout.refresh();
      blocks.push(block);
      if (blocks.length === count) stop.abort();
    }
    return blocks;
  } finally {
    clearTimeout(timeout);
  }
}

/** Like `takeBlocks`. @returns the slots of the blocks */
export async function takeSlots(source: BlockSource, count: number, after: BlockRef | null = null): Promise<number[]> {
  return (await takeBlocks(source, count, after)).map(({ slot }) => slot);
}
