import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DataSource } from 'typeorm';

const TABLES = `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`;
const COLUMNS = `SELECT string_agg(quote_ident(column_name), ', ' ORDER BY ordinal_position) AS columns
  FROM information_schema.columns WHERE table_schema = 'public' AND table_name = $1 AND is_generated = 'NEVER'`;
const SEQUENCES = `SELECT sequencename AS name, last_value AS value FROM pg_sequences
  WHERE schemaname = 'public' AND last_value IS NOT NULL ORDER BY 1`;

/** Rows of one table in the text form of COPY. */
const SECTION = /^COPY (\S+) \((.*)\) FROM stdin;\n([\s\S]*?)^\\\.\n/gm;
const SEQUENCE = /^SELECT setval\(.*\);$/gm;

/**
 * Writes the rows of all tables as SQL, which psql can run as well. Tables of the schema may have rows before.
 *
 * @param dataSource of a superuser on a server of this machine
 */
export async function dumpRows(dataSource: DataSource): Promise<string> {
  const tables = await dataSource.query<{ name: string }[]>(TABLES);
  const sections = await inSharedFolder(async (file) => {
    const texts: string[] = [];
    for (const { name } of tables) {
      const [{ columns }] = await dataSource.query<{ columns: string }[]>(COLUMNS, [name]);
      await dataSource.query(`COPY ${name} (${columns}) TO '${file}'`);
      texts.push(`COPY ${name} (${columns}) FROM stdin;\n${readFileSync(file, 'utf8')}\\.\n`);
    }
    return texts;
  });
  const sequences = await dataSource.query<{ name: string; value: string }[]>(SEQUENCES);
  return [
    `TRUNCATE ${tables.map(({ name }) => name).join(', ')};\n`,
    ...sections,
    ...sequences.map(({ name, value }) => `SELECT setval('${name}', ${value});\n`),
  ].join('\n');
}

/**
 * Restores what `dumpRows` wrote.
 *
 * @param dataSource of a superuser on a server of this machine, with the schema of the dump
 */
export async function restoreRows(dataSource: DataSource, dump: string): Promise<void> {
  await dataSource.query(dump.slice(0, dump.indexOf('\n')));
  await inSharedFolder(async (file) => {
    for (const [, table, columns, rows] of dump.matchAll(SECTION)) {
      writeFileSync(file, rows);
      chmodSync(file, 0o644);
      await dataSource.query(`COPY ${table} (${columns}) FROM '${file}'`);
    }
  });
  for (const [statement] of dump.matchAll(SEQUENCE)) await dataSource.query(statement);
}

/** Passes a file that the server, which may run as another user, can write and read. */
async function inSharedFolder<Result>(act: (file: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'fresnel-rows-'));
  chmodSync(folder, 0o777);
  try {
    return await act(join(folder, 'rows'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
