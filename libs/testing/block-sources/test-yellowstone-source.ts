import { YellowstoneBlockSource, type YellowstoneBlockSourceOptions } from '@fresnel/adapters/chain';
import { LIVE_PROGRAMS } from '@fresnel/domain/events';
import { type FakeNode } from '@fresnel/testing/chain';
import { captureLog, type LogLine } from '@fresnel/testing/generic';
import { type FakeYellowstone } from './fake-yellowstone';
import { createTestSource } from './test-block-source';

/** A source that follows a fake stream and a fake node, with a long silence timeout and a short backoff, and its log lines. */
export function createTestStream(
  node: FakeNode,
  { url }: Pick<FakeYellowstone, 'url'>,
  options: Partial<YellowstoneBlockSourceOptions> = {},
): { source: YellowstoneBlockSource; lines: LogLine[] } {
  const { logger, lines } = captureLog();
  const defaults = {
    url,
    token: null,
    silenceMs: 3_600_000,
    backoff: { firstMs: 1, longestMs: 4 },
    concurrency: 4,
    onlyNaming: LIVE_PROGRAMS.accountCompression,
  };
  const { source: rpc } = createTestSource(node);
  return { source: new YellowstoneBlockSource(rpc, { ...defaults, ...options }, logger), lines };
}
