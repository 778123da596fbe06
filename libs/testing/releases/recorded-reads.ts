import { createHash } from 'node:crypto';
import { messageOf } from '@fresnel/domain/primitives';
import { Client } from 'pg';
import { type Breach } from './breach';

/** A statement that a reader of a release ran, and what it returned. */
export interface RecordedRead {
  text: string;
  /** Bytes are in the form of Postgres: `\x` and hex. */
  values: unknown[];
  /** Names of the columns that the release knows. */
  columns: string[];
  /** SHA-256 of the rows. */
  rows: string;
}

/** Of a statement, in a report. */
const SHOWN_LENGTH = 200;

const READ = /^\s*(SELECT|WITH)\b/i;
/** What a driver asks about the server. */
const OF_SERVER = /^SELECT (version|\* FROM current_schema)\(\)/i;

/**
 * Records the statements that clients of Postgres in this process run meanwhile, each once.
 *
 * @param url of the database, whose rows stay the same
 */
export async function recordReads(url: string, act: () => Promise<void>): Promise<RecordedRead[]> {
  const seen = new Map<string, Pick<RecordedRead, 'text' | 'values'>>();
  const original = Reflect.get(Client.prototype, 'query') as (this: Client, ...args: unknown[]) => unknown;
  const recording = function (this: Client, ...args: unknown[]) {
    const read = readOf(args);
    if (READ.test(read.text) && !OF_SERVER.test(read.text)) seen.set(JSON.stringify(read), read);
    return original.apply(this, args);
  };
  Object.assign(Client.prototype, { query: recording });
  await act().finally(() => Object.assign(Client.prototype, { query: original }));
  return withClient(url, async (client) => {
    const reads: RecordedRead[] = [];
    for (const { text, values } of seen.values()) {
      const { fields } = await client.query(text, values);
      const read = { text, values, columns: fields.map(({ name }) => name) };
      reads.push({ ...read, rows: await digestRows(client, read) });
    }
    return reads;
  });
}

/** @param args of `Client.query`: a statement, and its values unless it is an object that has them */
function readOf([statement, values]: unknown[]): Pick<RecordedRead, 'text' | 'values'> {
  const found =
    typeof statement === 'string' ? { text: statement, values } : (statement as { text: string; values: unknown });
  return { text: found.text, values: Array.isArray(found.values) ? found.values.map(toPlain) : [] };
}

/** Runs statements again. All of them have to succeed, and to return the same rows. */
export async function findBrokenReads(url: string, reads: readonly RecordedRead[]): Promise<Breach[]> {
  return withClient(url, async (client) => {
    const breaches: Breach[] = [];
    for (const read of reads) {
      const problem = await digestRows(client, read).then(
        (rows) => (rows === read.rows ? null : 'returns other rows'),
        (error: unknown) => `fails: ${messageOf(error)}`,
      );
      if (problem !== null) breaches.push({ of: `statement ${beginningOf(read.text)}`, problem });
    }
    return breaches;
  });
}

function beginningOf(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, SHOWN_LENGTH);
}

/** The order of rows that a statement does not sort is that of a plan. */
async function digestRows(client: Client, { text, values, columns }: Omit<RecordedRead, 'rows'>): Promise<string> {
  const { rows } = await client.query<Record<string, unknown>>(text, values);
  const lines = rows.map((row) => JSON.stringify(columns.map((column) => toPlain(row[column])))).sort();
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}

function toPlain(value: unknown): unknown {
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`;
  if (Array.isArray(value)) return value.map(toPlain);
  return typeof value === 'bigint' ? String(value) : value;
}

async function withClient<Result>(url: string, act: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await act(client);
  } finally {
    await client.end();
  }
}
