import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type DataSource } from 'typeorm';

/** A function of the database, as this version defines it. */
interface SchemaFunction {
  name: string;
  sql: string;
  checksum: string;
}

/** Reads the functions: one in each file of `functions`, a folder beside this code, also in a bundle. */
export function readFunctions(): SchemaFunction[] {
  const folder = join(__dirname, 'functions');
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'));
  return files.sort().map((file) => {
    const sql = readFileSync(join(folder, file), 'utf8');
    return { name: basename(file, '.sql'), sql, checksum: createHash('sha256').update(sql).digest('hex') };
  });
}

function fileOf({ name }: SchemaFunction): string {
  return `${name}.sql`;
}

const PRESENT = `SELECT DISTINCT ON (name) name, checksum FROM schema_functions ORDER BY name, id DESC`;

/** Applies the functions that are not the present ones, all or none. Runs one at a time. @returns their files */
export async function applyFunctions(dataSource: DataSource): Promise<string[]> {
  return dataSource.transaction(async (manager) => {
    const present = await manager.query<{ name: string; checksum: string }[]>(PRESENT);
    const checksums = new Map(present.map(({ name, checksum }) => [name, checksum]));
    const changed = readFunctions().filter(({ name, checksum }) => checksums.get(name) !== checksum);
    // A function may call one that is applied after it.
    await manager.query(`SET LOCAL check_function_bodies = off`);
    for (const { sql } of changed) await manager.query(sql);
    await manager.query(`INSERT INTO schema_functions (name, checksum) SELECT * FROM unnest($1::text[], $2::text[])`, [
      changed.map(({ name }) => name),
      changed.map(({ checksum }) => checksum),
    ]);
    return changed.map(fileOf);
  });
}

/** @returns files of the functions of this version that were never applied: the schema is behind, not ahead */
export async function findUnknownFunctions(dataSource: DataSource): Promise<string[]> {
  const applied = await dataSource.query<{ checksum: string }[]>(`SELECT checksum FROM schema_functions`);
  const checksums = new Set(applied.map(({ checksum }) => checksum));
  return readFunctions()
    .filter(({ checksum }) => !checksums.has(checksum))
    .map(fileOf);
}
