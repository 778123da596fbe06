import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Breach } from './breach';

/** SHA-256 of each file of the schema, by its path in `store-schema`. */
export type SchemaFiles = Record<string, string>;

const FOLDER = 'libs/adapters/store-schema';

/** Digests the migrations and the functions. @param root folder of the repository */
export function describeSchemaFiles(root: string): SchemaFiles {
  const files = ['migrations', 'functions'].flatMap((folder) =>
    readdirSync(join(root, FOLDER, folder))
      .filter((file) => !file.endsWith('spec.ts'))
      .map((file) => `${folder}/${file}`),
  );
  return Object.fromEntries(files.sort().map((file) => [file, digestOf(join(root, FOLDER, file))]));
}

function digestOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

/** Released files are the same, and new migrations run after those of the release. */
export function compareSchemaFiles(released: SchemaFiles, now: SchemaFiles): Breach[] {
  const kept = Object.entries(released).flatMap(([file, digest]): Breach[] => {
    if (!(file in now)) return [{ of: `file ${FOLDER}/${file}`, problem: 'is gone' }];
    if (now[file] === digest) return [];
    return [{ of: `file ${FOLDER}/${file}`, problem: 'has changed: add another file, with another name, instead' }];
  });
  const last = Object.keys(released).filter(isMigration).sort().at(-1) ?? '';
  const early = Object.keys(now).filter((file) => isMigration(file) && !(file in released) && file < last);
  return [...kept, ...early.map((file) => ({ of: `file ${FOLDER}/${file}`, problem: `must sort after ${last}` }))];
}

function isMigration(file: string): boolean {
  return file.startsWith('migrations/');
}
