import { findAccount, Reader } from '@fresnel/adapters/store-read';
import { toBase58, toHash, toPubkey } from '@fresnel/domain/primitives';
import { startTestGateway } from '@fresnel/testing/gateway';
import { type Bench } from '@fresnel/testing/generic';
import { provideSharedServers } from '@fresnel/testing/servers';
import { createTestDatabase, fillAccounts, filledKey, insertTree, setIndexedSlot } from '@fresnel/testing/store';
import autocannon from 'autocannon';

const ACCOUNTS = 100_000;
const CONNECTIONS = 64;
const SECONDS = 3;
const QUERIES = 20_000;

export const bench: Bench = {
  title: 'Account reads: getCompressedAccount by hash',
  data: `${ACCOUNTS.toLocaleString('en')} accounts, ${CONNECTIONS} connections that send requests without pause; load generator, gateway and Postgres on the same machine`,
  unit: 'reads',
  prepare: async () => {
    const stop = await provideSharedServers();
    const database = await createTestDatabase();
    const tree = toPubkey(Buffer.alloc(32, 1));
    await insertTree(database.dataSource, { tree, queue: tree, treeType: 1 });
    await fillAccounts(database.dataSource, tree, ACCOUNTS);
    await setIndexedSlot(database.dataSource, 1_000);
    const gateway = await startTestGateway({ databaseUrl: database.url });
    const reader = new Reader({ url: database.url, connections: 2, timeoutMs: 2_000, applicationName: 'bench' });
    return {
      ways: [
        { name: 'over HTTP', run: () => askOverHttp(gateway.url) },
        { name: 'the query alone, without HTTP', run: () => queryAlone(reader) },
      ],
      close: async () => {
        await gateway.close();
        await reader.close();
        await database.drop();
        await stop();
      },
    };
  },
};

async function askOverHttp(url: string): Promise<{ count: number; seconds: number }> {
  const requests = Array.from({ length: 1_000 }, (_, at) => ({
    body: JSON.stringify({ jsonrpc: '2.0', id: at, method: 'getCompressedAccount', params: { hash: hashOf(at) } }),
  }));
  const headers = { 'content-type': 'application/json' };
  const load = { url, method: 'POST', headers, connections: CONNECTIONS, duration: SECONDS, workers: 1 } as const;
  const { requests: done, non2xx, errors, duration } = await autocannon({ ...load, requests });
  if (non2xx + errors > 0) throw new Error(`${non2xx} answers were errors, ${errors} requests failed`);
  return { count: done.total, seconds: duration };
}

async function queryAlone(reader: Reader): Promise<number> {
  let next = 0;
  const ask = async () => {
    while (next < QUERIES) await findAccount(reader, { hash: toHash(filledKey(numberOf(next++))) });
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, ask));
  return QUERIES;
}

function hashOf(number: number): string {
  return toBase58(filledKey(numberOf(number)));
}

/** Accounts of odd numbers are not spent. */
function numberOf(turn: number): number {
  return ((turn * 98) % ACCOUNTS) + 1;
}
