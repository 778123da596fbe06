import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeNode } from '@fresnel/testing/chain';
import { type FixtureAnswer, readSlotFixtures } from '@fresnel/testing/fixtures';
import { parseExactJson, sendHttp } from '@fresnel/testing/generic';
import { FresnelProcess } from '@fresnel/testing/stack';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';

const fixtures = readSlotFixtures();

/** Sends the requests in one batch. @returns them with their results, as fixtures contain them */
async function ask(url: string, requests: readonly FixtureAnswer[]): Promise<FixtureAnswer[]> {
  const batch = requests.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }));
  const { text } = await sendHttp(url, { body: JSON.stringify(batch) });
  const responses = parseExactJson(text) as { id: number; result: unknown }[];
  const results = new Map(responses.map(({ id, result }) => [id, result]));
  return requests.map(({ method, params }, id) => {
    const result = results.get(id);
    return { method, params, result: method.startsWith('getTransaction') ? withoutTransaction(result) : result };
  });
}

/** Fixtures contain the compression info of a transaction only. */
function withoutTransaction(result: unknown): unknown {
  return result && { compressionInfo: (result as { compressionInfo: unknown }).compressionInfo };
}

describe('one process that follows a node', () => {
  let folder: string;
  let node: FakeNode;
  let database: TestDatabase;
  let app: FresnelProcess;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'fresnel-fixtures-'));
    const trees = join(folder, 'trees.json');
    await FresnelProcess.run(['generate', '--out', join(folder, 'unused.ndjson'), '--slots', '1', '--trees', trees]);
    node = await FakeNode.start(fixtures.slice(0, 1));
    database = await createTestDatabase();
    app = FresnelProcess.start([], {
      SOLANA_RPC_URL: node.url,
      DATABASE_URL: database.url,
      TREES_FILE: trees,
      INGEST_START_SLOT: String(fixtures[0].slot),
      INGEST_POLL_INTERVAL_MS: '10',
    });
  });
  afterAll(async () => {
    await app.end('SIGTERM');
    await node.close();
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  it.each(fixtures.map((fixture) => [fixture.slot, fixture.name, fixture] as const))(
    'returns the answers of the oracle after slot fixture %i, %s',
    async (slot, _name, fixture) => {
      node.add([fixture]);
      await app.waitForSlot(slot);
      expect(await ask(await app.url(), fixture.answers)).toEqual(fixture.answers);
    },
  );
});
