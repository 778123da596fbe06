import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatTreesFile } from '@fresnel/adapters/chain';
import { connect, migrate } from '@fresnel/adapters/store-schema';
import { PostgresTreeReads } from '@fresnel/adapters/tree-store';
import { toBase58 } from '@fresnel/domain/primitives';
import { type GeneratedBlock, generatedTrees, LedgerOracle } from '@fresnel/ledger-generator';
import { FakeNode } from '@fresnel/testing/chain';
import { eventually, Opened } from '@fresnel/testing/generic';
import { askQuestions, ErrorCode, type Question, questionsAbout } from '@fresnel/testing/ledger';
import { provideSharedServers } from '@fresnel/testing/servers';
import { FresnelProcess } from '@fresnel/testing/stack';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';
import { type Logger } from 'typeorm';
import { dumpRows, restoreRows } from './index-dump';
import { recordPushes, type StoredPushes } from './received-pushes';
import { recordReads } from './recorded-reads';
import { callMethods, serveIndex } from './served-index';
import { SCHEMA_FILE, type StoredAnswer, type StoredIndex, writeStoredIndex } from './stored-index';

const RESULTS_OF_A_METHOD = 6;
/** Statements of `migrate` that define nothing. Rows are in the dump. */
const NO_DEFINITION = /^\s*(SELECT|START|COMMIT|SET|INSERT)\b/;

/**
 * Writes the schema of the sources, and an index of each chain with calls and their answers.
 *
 * @param chains blocks by the name of the index
 */
export async function freezeIndexes(folder: string, chains: Record<string, readonly GeneratedBlock[]>): Promise<void> {
  const stop = await provideSharedServers();
  try {
    mkdirSync(folder, { recursive: true });
    const schema = await withDatabase(recordSchema);
    writeFileSync(join(folder, SCHEMA_FILE), schema);
    for (const [name, blocks] of Object.entries(chains)) {
      const dump = await withDatabase((database) => fillIndex(database, blocks));
      const index = await withDatabase((database) => recordIndex(database, schema, dump, blocks));
      writeStoredIndex(folder, name, index);
    }
  } finally {
    await stop();
  }
}

async function withDatabase<Result>(act: (database: TestDatabase) => Promise<Result>): Promise<Result> {
  const database = await createTestDatabase({ migrated: false });
  try {
    return await act(database);
  } finally {
    await database.drop();
  }
}

/** @returns what `migrate` runs in an empty database */
async function recordSchema({ url }: TestDatabase): Promise<string> {
  const statements: string[] = [];
  const ignore = () => undefined;
  const logger: Logger = {
    logQuery: (sql) => statements.push(sql),
    logQueryError: ignore,
    logQuerySlow: ignore,
    logSchemaBuild: ignore,
    logMigration: ignore,
    log: ignore,
  };
  const dataSource = await connect({ url, poolSize: 2, applicationName: 'release-freeze' });
  await migrate(dataSource.setOptions({ logger }));
  await dataSource.destroy();
  const definitions = statements.filter((sql) => !NO_DEFINITION.test(sql));
  return `-- What "migrate" runs in an empty database. Written by "npm run release:freeze". Do not edit.
SET check_function_bodies = off;
${definitions.map((sql) => `${sql.trim()};\n`).join('')}`;
}

/** Indexes a chain as a user does. @returns the rows */
async function fillIndex({ url, dataSource }: TestDatabase, blocks: readonly GeneratedBlock[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'fresnel-freeze-'));
  const opened = new Opened();
  try {
    writeFileSync(join(folder, 'trees.json'), formatTreesFile(generatedTrees()));
    const node = opened.add(await FakeNode.start(blocks));
    const app = FresnelProcess.start([], {
      SOLANA_RPC_URL: node.url,
      DATABASE_URL: url,
      TREES_FILE: join(folder, 'trees.json'),
      INGEST_START_SLOT: String(blocks[0].slot),
    });
    opened.add({ close: () => app.end('SIGTERM').then(() => undefined) });
    await app.waitForSlot(node.tip);
    const trees = new PostgresTreeReads(dataSource.manager);
    await eventually('all trees have the tip', async () => {
      const partitions = [...(await trees.listPartitions()).values()];
      return partitions.length > 0 && partitions.every(({ slot }) => slot === node.tip);
    });
  } finally {
    await opened.close();
    rmSync(folder, { recursive: true });
  }
  return dumpRows(dataSource);
}

/** Restores an index and calls its methods. @throws Error if an answer is not that of the oracle */
async function recordIndex(
  { url, dataSource }: TestDatabase,
  schema: string,
  dump: string,
  blocks: readonly GeneratedBlock[],
): Promise<StoredIndex> {
  await dataSource.query(schema);
  await restoreRows(dataSource, dump);
  const oracle = new LedgerOracle();
  for (const block of blocks) oracle.apply(block);
  const questions = [...byMethod(questionsAbout(oracle, oracle, { proofs: true, validityProofs: true }))];
  const others = callsWithoutOracle();
  let answers: StoredAnswer[] = [];
  let pushes: StoredPushes | undefined;
  const reads = await recordReads(url, async () => {
    const served = await serveIndex(url);
    try {
      const { differences } = await askQuestions(served.url, questions);
      if (differences.length > 0) throw new Error(`wrong answers: ${JSON.stringify(differences)}`);
      const calls = [...questions, ...others].map(({ method, params }) => ({ method, params }));
      const found = await callMethods(served.url, calls);
      answers = calls.map((call, at) => ({ ...call, answer: found[at] }));
      pushes = await recordPushes(served.url, blocks[0].slot, oracle.slot);
    } finally {
      await served.close();
    }
  });
  if (!pushes) throw new Error('nothing was recorded');
  return { dump, answers, reads, pushes };
}

/** A few of each method: results, and an error. */
function* byMethod(questions: readonly Question[]): Iterable<Question> {
  for (const name of new Set(questions.map(({ method }) => method))) {
    const ofMethod = questions.filter(({ method }) => method === name);
    yield* spread(
      ofMethod.filter(({ expected }) => !(expected instanceof ErrorCode)),
      RESULTS_OF_A_METHOD,
    );
    yield* spread(
      ofMethod.filter(({ expected }) => expected instanceof ErrorCode),
      1,
    );
  }
}

/** @returns at most so many items, from the first to the last */
function spread<Item>(items: readonly Item[], count: number): Item[] {
  const step = Math.max(1, items.length / count);
  return items.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step));
}

/** Calls of methods that the oracle does not answer. Those about a process, and about the clock, have other answers each time. */
function callsWithoutOracle(): { method: string; params: unknown }[] {
  const trees = generatedTrees().map(({ tree }) => toBase58(tree));
  return [
    { method: 'getLatestNonVotingSignatures', params: { limit: 5 } },
    { method: 'getQueueInfo', params: {} },
    ...trees.flatMap((tree) => [
      { method: 'getTreeStatus', params: { tree } },
      { method: 'getQueueLeafIndices', params: { tree, limit: 10 } },
    ]),
  ];
}
