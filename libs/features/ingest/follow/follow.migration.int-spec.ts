import { toSlot } from '@fresnel/domain/primitives';
import { createTestSource } from '@fresnel/testing/block-sources';
import { blockhashAt, linkBlocks, range } from '@fresnel/testing/chain';
import { IngestOnNode } from '@fresnel/testing/ingest';

const MAINNET = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
/** The last block of mainnet before Alpenglow. */
const GENESIS = 459_652_999;
const OLD = range(GENESIS - 4, GENESIS);
const NEW = range(GENESIS + 45, GENESIS + 54);

it('ingest passes the blocks that a cluster abandoned at its migration without a fork', async () => {
  const ingest = await IngestOnNode.open();
  ingest.node.genesisHash = MAINNET;
  const abandoned = linkBlocks(range(GENESIS + 1, GENESIS + 40), { branch: 'abandoned' });
  ingest.node.add([...linkBlocks(OLD), ...abandoned, ...linkBlocks(NEW, { parent: GENESIS })]);
  void ingest.start(createTestSource(ingest.node, { startSlot: toSlot(OLD[0]) }));
  await ingest.untilPublished(NEW[9]);
  expect(ingest.blocks).toEqual([...OLD, ...NEW].map((slot) => ({ slot: toSlot(slot), blockhash: blockhashAt(slot) })));
  expect(await ingest.valueOf('fresnel_ingest_forks_total')).toBe(0);
  await ingest.close();
});
