import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { type StoredPushes } from './received-pushes';
import { type RecordedRead } from './recorded-reads';

/** A call, and the answer of the release in the form of `parseExactJson`. */
export interface StoredAnswer {
  method: string;
  params: unknown;
  answer: unknown;
}

/** An index that a release has written, and what the release read from it. */
export interface StoredIndex {
  /** Rows, as `dumpRows` writes them. */
  dump: string;
  answers: StoredAnswer[];
  reads: RecordedRead[];
  pushes: StoredPushes;
}

/** Files of an index, after its name. */
const FILES = { dump: '.sql.gz', answers: '.answers.json.gz', reads: '.reads.json.gz', pushes: '.pushes.json.gz' };

/** @param folder `index` of a release */
export function listStoredIndexes(folder: string): string[] {
  const dumps = readdirSync(folder).filter((file) => file.endsWith(FILES.dump));
  return dumps.map((file) => file.slice(0, -FILES.dump.length));
}

export function readStoredIndex(folder: string, name: string): StoredIndex {
  const read = (suffix: string) => gunzipSync(readFileSync(join(folder, name + suffix))).toString();
  return {
    dump: read(FILES.dump),
    answers: JSON.parse(read(FILES.answers)) as StoredAnswer[],
    reads: JSON.parse(read(FILES.reads)) as RecordedRead[],
    pushes: JSON.parse(read(FILES.pushes)) as StoredPushes,
  };
}

export function writeStoredIndex(folder: string, name: string, { dump, answers, reads, pushes }: StoredIndex): void {
  const write = (suffix: string, text: string) => {
    writeFileSync(join(folder, name + suffix), gzipSync(text, { level: 9 }));
  };
  write(FILES.dump, dump);
  write(FILES.answers, JSON.stringify(answers));
  write(FILES.reads, JSON.stringify(reads));
  write(FILES.pushes, JSON.stringify(pushes));
}

/** The statements that create the schema of the indexes. */
export const SCHEMA_FILE = 'schema.sql';
