import { LIVE_PROGRAMS } from '@fresnel/domain/events';
import { toSlot } from '@fresnel/domain/primitives';
import { useTime } from '@fresnel/platform/time';
import { createTestRpc, createTestStream, FakeYellowstone, takeSlots } from '@fresnel/testing/block-sources';
import { type Fault, FakeNode, linkBlocks, range } from '@fresnel/testing/chain';
import { captureLog, ManualTime, until } from '@fresnel/testing/generic';
import { PUBLIC_CLUSTERS } from './clusters';
import { setCommitment } from './cluster-commitment';
import { RpcBlockSource } from './rpc.block-source';
import { readAccount } from './rpc.program-accounts';

const METHOD = 'getAgGenesisCert';
const CERTIFICATE = {
  block: { slot: 459_652_999, blockId: Array(32).fill(7) },
  signature: { signature: Array(192).fill(8), bitmap: [1, 128] },
};
const MIGRATED: Fault = { kind: 'result', result: CERTIFICATE };
const NOT_YET: Fault = { kind: 'result', result: null };
const ASK_EVERY_MS = 10 * 60_000;
/** More than are asked in a test. */
const ALWAYS = 100;

describe('the commitment of a cluster', () => {
  const nodes: FakeNode[] = [];
  let restoreTime: () => void = () => undefined;
  afterEach(async () => {
    restoreTime();
    restoreTime = () => undefined;
    await Promise.all(nodes.splice(0).map((node) => node.close()));
  });

  /** Nodes that give these answers, and a client of them that chooses the commitment. */
  async function connect(faults: readonly (Fault | null)[], configured: 'confirmed' | 'finalized' | null = null) {
    const started = await Promise.all(faults.map(() => FakeNode.start(linkBlocks(range(1000, 1003)))));
    nodes.push(...started);
    faults.forEach((fault, at) => {
      if (fault) started[at].fail(fault, { method: METHOD, times: ALWAYS });
    });
    const { rpc } = createTestRpc(started[0], ...started.slice(1));
    const { logger, lines } = captureLog();
    setCommitment(rpc, configured, logger);
    return { rpc, lines, logger, started, asked: () => started.map((node) => node.requestsOf(METHOD).length) };
  }

  it.each<[string, (Fault | null)[], string, number]>([
    ['an object', [MIGRATED], 'finalized', 0],
    ['an empty object', [{ kind: 'result', result: {} }], 'finalized', 0],
    ['null', [NOT_YET], 'confirmed', 0],
    ['an error for an unknown method', [null], 'confirmed', 1],
    ['HTTP 404', [{ kind: 'status', status: 404 }], 'confirmed', 1],
    ['HTTP 429', [{ kind: 'status', status: 429, retryAfter: '60' }], 'confirmed', 1],
    ['a text', [{ kind: 'result', result: 'certificate' }], 'confirmed', 1],
    ['a list', [{ kind: 'result', result: [] }], 'confirmed', 1],
    ['a closed connection', [{ kind: 'reset' }], 'confirmed', 1],
    ['no JSON', [{ kind: 'body', text: '<html>' }], 'confirmed', 1],
    ['an object from the second endpoint', [null, MIGRATED], 'finalized', 0],
    ['an object after a null', [NOT_YET, MIGRATED], 'finalized', 0],
    ['null from the second endpoint', [{ kind: 'status', status: 403 }, NOT_YET], 'confirmed', 0],
  ])('after %s (%j) is %s', async (_, faults, expected, warnings) => {
    const { rpc, lines } = await connect(faults);
    expect(await rpc.findCommitment()).toBe(expected);
    expect(lines.filter(({ level }) => level === 'warn')).toHaveLength(warnings);
  });

  it.each([...PUBLIC_CLUSTERS.keys()])(
    'is finalized on the public cluster %s, also after a restart with endpoints that do not know the question',
    async (genesisHash) => {
      const { rpc, lines, started, asked } = await connect([{ kind: 'status', status: 404 }, NOT_YET]);
      for (const node of started) node.genesisHash = genesisHash;
      started[0].fail({ kind: 'reset' }, { method: 'getGenesisHash' });
      expect(await rpc.findCommitment()).toBe('finalized');
      expect(asked()[1]).toBe(0);
      expect(lines.map(({ level }) => level)).toEqual(['info']);
    },
  );

  it('is asked for once at the start, and is then known to concurrent requests', async () => {
    const { rpc, asked } = await connect([MIGRATED]);
    expect(await Promise.all([1, 2, 3].map(() => rpc.findCommitment()))).toEqual(Array(3).fill('finalized'));
    expect(asked()).toEqual([1]);
  });

  it('is asked for every ten minutes until the cluster has migrated, and never again', async () => {
    const time = new ManualTime();
    restoreTime = useTime(time);
    const { rpc, started, asked, lines } = await connect([null]);
    expect(await rpc.findCommitment()).toBe('confirmed');
    time.advance(ASK_EVERY_MS - 1);
    expect(await rpc.findCommitment()).toBe('confirmed');
    expect(asked()).toEqual([1]);
    started[0].fail(MIGRATED, { method: METHOD });
    time.advance(1);
    await until(async () => (await rpc.findCommitment()) === 'finalized');
    time.advance(10 * ASK_EVERY_MS);
    expect(await rpc.findCommitment()).toBe('finalized');
    expect(asked()).toEqual([2]);
    expect(lines.map(({ level }) => level)).toEqual(['warn', 'info']);
  });

  it.each(['confirmed', 'finalized'] as const)('is %s without a question if it is configured', async (configured) => {
    const { rpc, asked, lines } = await connect([MIGRATED], configured);
    expect([await rpc.findCommitment(), asked(), lines]).toEqual([configured, [0], []]);
  });

  it.each<[string, Fault, string]>([
    ['finalized', MIGRATED, 'FINALIZED'],
    ['confirmed', NOT_YET, 'CONFIRMED'],
  ])('is in every request of a cluster that is read at %s', async (expected, fault, ofStream) => {
    const { rpc, logger, started } = await connect([fault]);
    const options = { startSlot: null, concurrency: 2, pollIntervalMs: 2, accountCompression: null };
    const source = new RpcBlockSource(rpc, options, logger);
    expect(await takeSlots(source, 4)).toEqual(range(1000, 1003));
    const reading = { minContextSlot: toSlot(1), retryForMs: 0 };
    await readAccount(rpc, LIVE_PROGRAMS.noop, reading, new AbortController().signal);
    const commitments = started[0].requests
      .filter(({ method }) => ['getSlot', 'getBlocks', 'getBlock', 'getMultipleAccounts'].includes(method))
      .map(({ method, params }) => [method, (params.at(-1) as { commitment: string }).commitment]);
    expect(new Set(commitments.map(([method]) => method)).size).toBe(4);
    expect(new Set(commitments.map(([, commitment]) => commitment))).toEqual(new Set([expected]));
    const yellowstone = await FakeYellowstone.start();
    const { source: stream } = createTestStream(started[0], yellowstone);
    stream.findCommitment = () => rpc.findCommitment();
    const taking = takeSlots(stream, 4);
    await yellowstone.waitForSubscription();
    await taking;
    expect(yellowstone.subscriptions[0].request.commitment).toBe(ofStream);
    yellowstone.close();
  });
});
