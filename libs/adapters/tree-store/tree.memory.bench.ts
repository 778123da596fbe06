import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { connect } from '@fresnel/adapters/store-schema';
import { poseidon } from '@fresnel/domain/poseidon';
import { type Hash } from '@fresnel/domain/primitives';
import { type IndexedElement, isAddressTree, type PageId, type TreeInfo } from '@fresnel/domain/trees';
import { type Bench, type BenchMeasurement, type BenchWay } from '@fresnel/testing/generic';
import { provideSharedServers } from '@fresnel/testing/servers';
import { createTestDatabase } from '@fresnel/testing/store';
import { fillJournal, testAddressTree } from '@fresnel/testing/trees';
import { type DataSource } from 'typeorm';
import { InMemoryTreeStore } from './in-memory.tree-store';
import { PostgresTreeJournal } from './postgres.tree-journal';
import { toTreeLog } from './tree-journal';

const SOME = 1_000_000;
const MANY = 10_000_000;
const ADDRESS_TREE = testAddressTree('addressV1');
const STATE_TREE: TreeInfo = { ...ADDRESS_TREE, type: 'stateV1' };

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** The same contents as one object for each element, and one buffer for each page. */
async function loadObjects(dataSource: DataSource): Promise<unknown> {
  const byIndex = new Map<number, IndexedElement>();
  const pages = new Map<PageId, Buffer>();
  interface ElementRow {
    leaf_index: string;
    value: Hash;
    next_index: string;
    next_value: Hash;
  }
  const elements = await dataSource.query<ElementRow[]>('SELECT * FROM address_tree_elements');
  for (const { leaf_index: index, value, next_index: nextIndex, next_value: nextValue } of elements) {
    byIndex.set(Number(index), { index: Number(index), value, nextIndex: Number(nextIndex), nextValue });
  }
  const rows = await dataSource.query<{ page: string; nodes: Buffer }[]>('SELECT * FROM address_tree_pages');
  for (const { page, nodes } of rows) pages.set(Number(page), nodes);
  return { byIndex, sorted: [...byIndex.values()].sort((a, b) => a.value.compare(b.value)), pages };
}

async function bytesInUse(): Promise<{ heap: number; outside: number; resident: number }> {
  // The memory of collected buffers is counted until the next turns of the event loop.
  for (let round = 0; round < 3; round++) {
    collectGarbage();
    await sleep(100);
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heap: heapUsed, outside: external, resident: rss };
}

async function measureLoad(count: number, unit: string, load: () => Promise<unknown>): Promise<BenchMeasurement> {
  const before = await bytesInUse();
  const startedAt = performance.now();
  const loaded = await load();
  const seconds = (performance.now() - startedAt) / 1000;
  const after = await bytesInUse();
  const each = (bytes: number) => (bytes / count).toFixed(0);
  const used = each(after.heap + after.outside - before.heap - before.outside);
  const details = `${used} bytes ${unit} in use, ${each(after.resident - before.resident)} resident, ${seconds.toFixed(1)} s`;
  return { count: loaded ? count : 0, seconds, details };
}

function benchOf(info: TreeInfo, count: number, isCompared: boolean): Bench {
  const [units, unit] = isAddressTree(info) ? ['addresses', 'an address'] : ['leaves', 'a leaf'];
  return {
    title: 'Trees: memory and time of a start',
    data: `one V1 tree with ${count.toLocaleString('en')} ${units}, read from Postgres`,
    unit: units,
    prepare: async () => {
      const stop = await provideSharedServers();
      const database = await createTestDatabase();
      const dataSource = await connect({ url: database.url, poolSize: 2, applicationName: 'bench' });
      await fillJournal(dataSource, info, count);
      const open = () => InMemoryTreeStore.open(poseidon, new PostgresTreeJournal(dataSource, toTreeLog()));
      const way = (name: string, load: () => Promise<unknown>): BenchWay => ({
        name,
        run: () => measureLoad(count, unit, load),
        isOnce: true,
      });
      const objects = way('an object for each element', () => loadObjects(dataSource));
      return {
        ways: [way('records outside the heap', open), ...(isCompared ? [objects] : [])],
        close: async () => {
          await dataSource.destroy();
          await database.drop();
          await stop();
        },
      };
    },
  };
}

export const benches = [
  benchOf(ADDRESS_TREE, SOME, true),
  benchOf(ADDRESS_TREE, MANY, false),
  benchOf(STATE_TREE, SOME, false),
];
