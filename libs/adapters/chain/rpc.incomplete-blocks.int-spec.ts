import { toSlot } from '@fresnel/domain/primitives';
import { generateLedger } from '@fresnel/ledger-generator';
import { createTestSource, takeBlocks } from '@fresnel/testing/block-sources';
import { FakeNode } from '@fresnel/testing/chain';

const LEDGER = [...generateLedger({ seed: 31, slots: 6 })];
const { slot: SLOT, json: WHOLE } = LEDGER[3];
const START = { startSlot: toSlot(LEDGER[0].slot) };
/** The block without what the node has recorded of its transactions. */
const LACKING = WHOLE.replaceAll(/"innerInstructions":\[/g, '"otherInstructions":[');

describe('RpcBlockSource and a block without parts of its transactions', () => {
  const nodes: FakeNode[] = [];
  const start = async () => {
    const node = await FakeNode.start(LEDGER);
    nodes.push(node);
    return node;
  };
  afterEach(() => Promise.all(nodes.splice(0).map((node) => node.close())));

  const answers = (node: FakeNode) => node.requestsOf('getBlock').filter(({ params }) => params[0] === SLOT).length;

  it('requests the block again until it is whole', async () => {
    const node = await start();
    node.fail({ kind: 'json', text: LACKING }, { slot: SLOT, times: 5 });
    const block = (await takeBlocks(createTestSource(node, START).source, 6))[3];
    expect(block).not.toHaveProperty('missingPart');
    expect(answers(node)).toBe(6);
  });

  it('takes it from another endpoint', async () => {
    const [lacking, other] = [await start(), await start()];
    lacking.fail({ kind: 'json', text: LACKING }, { slot: SLOT, times: Infinity });
    const block = (await takeBlocks(createTestSource([lacking, other], START).source, 6))[3];
    expect(block).not.toHaveProperty('missingPart');
    expect([answers(lacking), answers(other)]).toEqual([1, 1]);
  });

  it('delivers it if each endpoint has left out the part several times, and warns', async () => {
    const pair = [await start(), await start()];
    for (const node of pair) node.fail({ kind: 'json', text: LACKING }, { slot: SLOT, times: Infinity });
    const { source, lines } = createTestSource(pair, START);
    expect((await takeBlocks(source, 6))[3].missingPart).toMatch(/^transaction \d+: no innerInstructions$/);
    expect(pair.map(answers)).toEqual([3, 3]);
    const warning = expect.objectContaining({ slot: SLOT, msg: expect.stringContaining('dead letters') });
    expect(lines.filter(({ level, msg }) => level === 'warn' && !msg.includes('retrying'))).toEqual([warning]);
  });

  it('finds it for a retry in the same way', async () => {
    const node = await start();
    node.fail({ kind: 'json', text: LACKING }, { slot: SLOT });
    const block = await createTestSource(node).source.findBlock(toSlot(SLOT), AbortSignal.timeout(20_000));
    expect(block?.slot).toBe(SLOT);
    expect(block).not.toHaveProperty('missingPart');
  });
});
