import { Reader } from '@fresnel/adapters/store-read';
import { encodeAccountCursor, encodeTokenAccountCursor } from '@fresnel/contracts/rpc';
import { toBase58, toHash, toPubkey } from '@fresnel/domain/primitives';
import { FilledDatabase, percentile, startTestGateway } from '@fresnel/testing/gateway';
import { type Bench, type BenchMeasurement, sendHttp } from '@fresnel/testing/generic';
import { filledKey, insertTree, listUnspentAccounts, setIndexedSlot } from '@fresnel/testing/store';

const ROWS = 1_000_000;
const MINTS = 100;
const PAGE = 100;
/** Pages that are read one after the other. */
const PAGES = 500;
const OFFSET_PAGES = 10;
const CONNECTIONS = [1, 32];
const key = (byte: number) => toPubkey(Buffer.alloc(32, byte));
const [TREE, PROGRAM, WALLET, DELEGATE, OTHER_PROGRAM] = [1, 2, 3, 4, 5].map(key);

/** Account i has the hash `filledKey(i)`, the leaf index i and the mint `filledKey(i % MINTS)`. */
const INSERT_TOKEN_ACCOUNTS = `
  INSERT INTO accounts
    (hash, created_by, tree_id, leaf_index, owner, lamports, discriminator, data_hash, mint, token_owner, amount, delegate)
  SELECT sha256(int4send(i)), i::bigint << 16, t.id, i, $2, 0, int8send(2), sha256(int4send(i)),
    sha256(int4send(i % ${MINTS})), $3, i, $4
  FROM trees t, generate_series(1, ${ROWS}) i WHERE t.tree = $1`;

/** The owners of the accounts that only a few have: each has `OWNED` accounts, and as many token accounts. */
const OWNERS = 500;
const OWNED = 200;

/** Accounts with data and an address. */
const INSERT_OWNED_ACCOUNTS = `
  INSERT INTO accounts (hash, created_by, tree_id, leaf_index, owner, lamports, address, discriminator, data, data_hash)
  SELECT sha256(int4send(-i)), i::bigint << 16, t.id, i, sha256(int4send(i % ${OWNERS})), i, sha256(int4send(-i)), int8send(5),
    sha256(int4send(i)), sha256(int4send(i))
  FROM trees t, generate_series(1, ${OWNERS * OWNED}) i WHERE t.tree = $1`;

const INSERT_OWNED_TOKEN_ACCOUNTS = `
  INSERT INTO accounts (hash, created_by, tree_id, leaf_index, owner, lamports, discriminator, data_hash, mint, token_owner, amount)
  SELECT sha256(int8send(i)), i::bigint << 16, t.id, i, $2, 0, int8send(2), sha256(int4send(i)), sha256(int4send(i % ${MINTS})),
    sha256(int4send(i % ${OWNERS})), i
  FROM trees t, generate_series(1, ${OWNERS * OWNED}) i WHERE t.tree = $1`;

/** A list of all accounts, and how to read a page of it. */
interface List {
  title: string;
  method: string;
  params: object;
  /** The cursor behind account `number`. */
  cursorOf: (number: number) => string;
  /** SQL of the list: the digest by which it is found, and its order. */
  digest: string;
  order: string;
  owner: Buffer;
}

const tokenCursor = (number: number) =>
  encodeTokenAccountCursor({ mint: toPubkey(filledKey(number % MINTS)), hash: toHash(filledKey(number)) });

const LISTS: List[] = [
  {
    title: 'token accounts of an owner',
    method: 'getCompressedTokenAccountsByOwnerV2',
    params: { owner: toBase58(WALLET) },
    cursorOf: tokenCursor,
    ...{ digest: 'token_owner_digest', order: 'u.mint, u.hash', owner: WALLET },
  },
  {
    title: 'token accounts of a delegate',
    method: 'getCompressedTokenAccountsByDelegateV2',
    params: { delegate: toBase58(DELEGATE) },
    cursorOf: tokenCursor,
    ...{ digest: 'delegate_digest', order: 'u.mint, u.hash', owner: DELEGATE },
  },
  {
    title: 'accounts of an owner',
    method: 'getCompressedAccountsByOwnerV2',
    params: { owner: toBase58(PROGRAM) },
    cursorOf: (number) => encodeAccountCursor({ leafIndex: number, hash: toHash(filledKey(number)) }),
    ...{ digest: 'owner_digest', order: 'u.leaf_index, u.hash', owner: PROGRAM },
  },
];

/** The rows of all benches. */
const FILLED = new FilledDatabase(async (database) => {
  await insertTree(database, { tree: TREE, queue: TREE, treeType: 1 });
  await database.query(INSERT_TOKEN_ACCOUNTS, [TREE, PROGRAM, WALLET, DELEGATE]);
  await database.query(INSERT_OWNED_ACCOUNTS, [TREE]);
  await database.query(INSERT_OWNED_TOKEN_ACCOUNTS, [TREE, OTHER_PROGRAM]);
  await listUnspentAccounts(database);
  await setIndexedSlot(database, ROWS);
});

function benchOf(list: List): Bench {
  return {
    title: `One page of ${PAGE} ${list.title}, at any depth`,
    data: `a list of ${ROWS.toLocaleString('en')}, one call after the other; caller, gateway and Postgres on the same machine`,
    unit: 'pages',
    prepare: async () => {
      const database = await FILLED.open();
      const gateway = await startTestGateway({ databaseUrl: database.url });
      const reader = new Reader({ url: database.url, connections: 1, timeoutMs: 60_000, applicationName: 'bench' });
      return {
        ways: [
          {
            name: 'gateway, over HTTP, by a cursor',
            run: () => measure(PAGES, (number) => ask(gateway.url, list, number)),
          },
          {
            name: 'the statement alone, by OFFSET',
            run: () => measure(OFFSET_PAGES, (number) => readByOffset(reader, list, number)),
            isOnce: true,
          },
        ],
        close: async () => {
          await reader.close();
          await gateway.close();
        },
      };
    },
  };
}

/** The first page of an owner with few accounts, as wallets ask for it. */
function ownedBenchOf(title: string, method: string, { isLast = false } = {}): Bench {
  return {
    title: `The first page of ${PAGE} ${title} of an owner with ${OWNED}`,
    data: `${OWNERS} owners among ${ROWS.toLocaleString('en')} other accounts; ${CONNECTIONS.join(' and ')} calls at once; caller, gateway and Postgres on the same machine`,
    unit: 'pages',
    prepare: async () => {
      const database = await FILLED.open();
      const gateway = await startTestGateway({ databaseUrl: database.url });
      const askOwner = (number: number) =>
        askFor(gateway.url, method, { owner: toBase58(toPubkey(filledKey(number % OWNERS))), limit: PAGE });
      const ways = CONNECTIONS.map((connections) => ({
        name: `${connections} at once`,
        run: () => measure(PAGES, askOwner, connections),
      }));
      const close = async () => {
        await gateway.close();
        if (isLast) await FILLED.close();
      };
      return { ways, close };
    },
  };
}

function ask(url: string, { method, params, cursorOf }: List, number: number): Promise<void> {
  return askFor(url, method, { ...params, limit: PAGE, cursor: cursorOf(number) });
}

async function askFor(url: string, method: string, params: object): Promise<void> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const { status, text } = await sendHttp(url, { body, reusesConnection: true });
  if (status !== 200 || !text.includes('"items":[{')) throw new Error(`no page: ${text.slice(0, 200)}`);
}

async function readByOffset(reader: Reader, { digest, order, owner }: List, number: number): Promise<void> {
  const text = `
    SELECT a.* FROM (
      SELECT u.hash FROM unspent_accounts u WHERE u.${digest} = key_digest($1) ORDER BY ${order} LIMIT ${PAGE} OFFSET $2
    ) page JOIN accounts a ON a.hash = page.hash`;
  const rows = await reader.query({ name: `${digest}-by-offset`, text }, [owner, number]);
  if (rows.length !== PAGE) throw new Error(`${rows.length} rows`);
}

/** Reads pages at random depths, several at once. */
async function measure(
  pages: number,
  read: (number: number) => Promise<void>,
  connections = 1,
): Promise<BenchMeasurement> {
  const times: number[] = [];
  let started = 0;
  const readPages = async () => {
    while (started++ < pages) {
      const number = 1 + Math.floor(Math.random() * (ROWS - 2 * PAGE));
      const startedAt = performance.now();
      await read(number);
      times.push(performance.now() - startedAt);
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: connections }, readPages));
  const seconds = (performance.now() - startedAt) / 1_000;
  const [median, p99] = [0.5, 0.99].map((share) => percentile(times, share).toFixed(1));
  return { count: pages, seconds, details: `${median} ms (median), ${p99} ms (99th percentile)` };
}

export const benches = [
  ...LISTS.map(benchOf),
  ownedBenchOf('accounts', 'getCompressedAccountsByOwner'),
  ownedBenchOf('token accounts', 'getCompressedTokenAccountsByOwner', { isLast: true }),
];
