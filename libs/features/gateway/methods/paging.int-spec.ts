import { createHash } from 'node:crypto';
import { Agent, request } from 'node:http';
import { toBase58, toPubkey } from '@fresnel/domain/primitives';
import { startTestGateway, type TestGateway } from '@fresnel/testing/gateway';
import {
  createTestDatabase,
  insertHolders,
  insertSignatures,
  setIndexedSlot,
  type TestDatabase,
} from '@fresnel/testing/store';

const MANY = 3_000;
const FEW = 200;
const key = (byte: number) => toPubkey(Buffer.alloc(32, byte));
/** Pseudorandom bytes, the same in every run. */
const bytes = (seed: string, length: number) => createHash('shake256', { outputLength: length }).update(seed).digest();
/** The first bytes of the three signatures of a slot differ. */
const signatureOf = (n: number) => Buffer.concat([Buffer.of(((n % 3) * 80 + n) % 256, n % 3), bytes(`s${n}`, 62)]);

interface List<Item> {
  items: Item[];
  cursor: string | null;
}

describe('paging', () => {
  let database: TestDatabase;
  let gateway: TestGateway;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });

  beforeAll(async () => {
    database = await createTestDatabase();
    await setIndexedSlot(database.dataSource, 1_000_000);
    for (const [owner, count] of [
      [1, MANY],
      [2, FEW],
    ] as const) {
      // Several signatures in a slot, and several holders with the same balance.
      const signatures = Array.from({ length: count }, (_, n) => ({
        slot: Math.floor(n / 3),
        signature: signatureOf(n),
      }));
      await insertSignatures(database.dataSource, 'owner_signatures', key(owner), signatures);
      const holders = Array.from({ length: count }, (_, n) => ({
        owner: bytes(`h${n}`, 32),
        balance: BigInt(1 + (n % 50)),
      }));
      await insertHolders(database.dataSource, key(owner), holders);
    }
    gateway = await startTestGateway({ databaseUrl: database.url });
  });
  afterAll(async () => {
    agent.destroy();
    await gateway.close();
    await database.drop();
  });

  function call<Item>(method: string, params: object): Promise<List<Item>> {
    return new Promise((done, fail) => {
      const headers = { 'content-type': 'application/json' };
      const outgoing = request(gateway.url, { method: 'POST', headers, agent }, (incoming) => {
        let text = '';
        incoming.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        incoming.on('end', () => {
          done((JSON.parse(text) as { result: { value: List<Item> } }).result.value);
        });
      });
      outgoing.on('error', fail).end(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
    });
  }

  async function readAll<Item>(method: string, subject: object, limit: number): Promise<Item[]> {
    const all: Item[] = [];
    for (let cursor: string | null = null; ;) {
      const page: List<Item> = await call<Item>(method, { ...subject, limit, cursor });
      all.push(...page.items);
      // A full page has a cursor. Any other page is the last.
      expect(page.cursor === null).toBe(page.items.length < limit);
      ({ cursor } = page);
      if (cursor === null) return all;
    }
  }

  it.each([
    [MANY, 1, [7, 1000]],
    [FEW, 2, [1, 7, 1000]],
  ])('returns each of %d signatures once for any limit', async (count, owner, limits) => {
    const expected = Array.from({ length: count }, (_, n) => ({
      slot: Math.floor(n / 3),
      signature: signatureOf(n),
    }))
      .sort((a, b) => b.slot - a.slot || b.signature.compare(a.signature))
      .map(({ slot, signature }) => ({ signature: toBase58(signature), slot, blockTime: slot }));
    for (const limit of limits) {
      expect(await readAll('getCompressionSignaturesForOwner', { owner: toBase58(key(owner)) }, limit)).toEqual(
        expected,
      );
    }
  });

  it.each([
    [MANY, 1, [7, 1000]],
    [FEW, 2, [1, 7, 1000]],
  ])('returns each of %d holders once for any limit', async (count, mint, limits) => {
    const expected = Array.from({ length: count }, (_, n) => ({ owner: bytes(`h${n}`, 32), balance: 1 + (n % 50) }))
      .sort((a, b) => b.balance - a.balance || b.owner.compare(a.owner))
      .map(({ owner, balance }) => ({ owner: toBase58(owner), balance }));
    for (const limit of limits) {
      expect(await readAll('getCompressedMintTokenHolders', { mint: toBase58(key(mint)) }, limit)).toEqual(expected);
    }
  });
});
