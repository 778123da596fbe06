import { toSlot } from '@fresnel/domain/primitives';
import { createTestRpc } from '@fresnel/testing/block-sources';
import { FakeNode } from '@fresnel/testing/chain';
import { captureLog } from '@fresnel/testing/generic';
import { MissingHistoryError } from './block-source';
import { RpcHistory } from './rpc.history';

describe('the history of two endpoints', () => {
  let nodes: FakeNode[];
  let history: RpcHistory;
  const { signal } = new AbortController();
  beforeEach(async () => {
    nodes = [await FakeNode.start(), await FakeNode.start()];
    history = new RpcHistory(createTestRpc(nodes[0], nodes[1]).rpc, captureLog().logger);
  });
  afterEach(() => Promise.all(nodes.map((node) => node.close())));

  /** @param firsts null: the endpoint is away */
  function have(...firsts: (number | null)[]): void {
    for (const [at, first] of firsts.entries()) {
      if (first === null) nodes[at].fail({ kind: 'status', status: 503 }, { times: Infinity });
      else nodes[at].firstAvailable = first;
    }
  }

  it.each([
    [24, 3],
    [3, 24],
    [null, 3],
  ])('is that of the one with more: %p and %p', async (one, other) => {
    have(one, other);
    await history.requireSlot(toSlot(10), signal);
  });

  it('is missing if both have only newer blocks', async () => {
    have(24, 20);
    const missing = history.requireSlot(toSlot(10), signal);
    await expect(missing).rejects.toThrow(MissingHistoryError);
    await expect(missing).rejects.toThrow('the first available block is 20, but block 10 is needed');
  });

  it('is awaited while the one that may have more is away', async () => {
    have(24, null);
    let isSettled = false;
    const asking = history.requireSlot(toSlot(10), signal).finally(() => (isSettled = true));
    await nodes[1].waitForRequest('getFirstAvailableBlock');
    expect(isSettled).toBe(false);
    nodes[1].heal();
    have(24, 10);
    await asking;
  });

  it('starts at the oldest block of both', async () => {
    have(24, 20);
    expect(await history.findOldestSlot(signal)).toBe(20);
  });
});
