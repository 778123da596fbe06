import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatTreesFile } from '@fresnel/adapters/chain';
import { toBase58 } from '@fresnel/domain/primitives';
import { generatedTrees, generateLedger, LedgerOracle } from '@fresnel/ledger-generator';
import { FakeNode } from '@fresnel/testing/chain';
import { postJson } from '@fresnel/testing/generic';
import { checkAgainstOracle } from '@fresnel/testing/ledger';
import { digestCleanRun, type Environment, FresnelProcess } from '@fresnel/testing/stack';
import { createTestDatabase, digestState, type TestDatabase } from '@fresnel/testing/store';
import { bn, createRpc, featureFlags, type Rpc, VERSION } from '@lightprotocol/stateless.js';
import { PublicKey } from '@solana/web3.js';

const SEED = 11;
const SLOTS = 120;
/** Number of blocks that exist at the start; the others are added while the process is killed. */
const HISTORY = 30;
const KILLS = 2;

describe('following a node', () => {
  const blocks = [...generateLedger({ seed: SEED, slots: SLOTS })];
  const tip = blocks[blocks.length - 1].slot;
  const oracle = new LedgerOracle();
  let folder: string;
  let node: FakeNode;
  let database: TestDatabase;

  beforeAll(async () => {
    for (const block of blocks) oracle.apply(block);
    folder = mkdtempSync(join(tmpdir(), 'fresnel-node-'));
    writeFileSync(join(folder, 'trees.json'), formatTreesFile(generatedTrees()));
    node = await FakeNode.start(blocks.slice(0, HISTORY));
    database = await createTestDatabase();
  });
  afterAll(async () => {
    await node.close();
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  const env = (): Environment => ({
    SOLANA_RPC_URL: node.url,
    DATABASE_URL: database.url,
    TREES_FILE: join(folder, 'trees.json'),
    INGEST_START_SLOT: String(blocks[0].slot),
    INGEST_POLL_INTERVAL_MS: '50',
  });

  it('loses nothing when it is killed, and gives answers that the public client library understands, each of them', async () => {
    const share = Math.ceil((blocks.length - HISTORY) / KILLS);
    for (let kill = 0; kill < KILLS; kill++) {
      const app = FresnelProcess.start([], env());
      await app.url();
      const from = HISTORY + kill * share;
      node.add(blocks.slice(from, from + share));
      await app.waitForSlot(blocks[from].slot);
      await app.end('SIGKILL');
    }
    const last = FresnelProcess.start([], env());
    await last.waitForSlot(tip);
    const { questions, differences } = await checkAgainstOracle(await last.url(), oracle);
    expect(differences).toEqual([]);
    expect(questions).toBeGreaterThan(1_000);
    // For a node at this address the client uses its built-in list of trees, and sends no request.
    const read = await readEverything(createRpc('http://127.0.0.1:8899', await last.url(), await last.url()), oracle);
    expect(Object.values(read).every((answers) => answers >= 5)).toBe(true);
    expect((await last.end('SIGTERM')).code).toBe(0);
    expect(await digestState(database.dataSource)).toBe(await digestCleanRun(blocks));
  });

  it('does not fetch again what is indexed', async () => {
    const before = node.requestsOf('getBlock').length;
    const app = FresnelProcess.start([], env());
    await app.waitForSlot(tip);
    const health = { jsonrpc: '2.0', id: 1, method: 'getIndexerHealth', params: [] };
    expect((await postJson(await app.url(), health)).body).toMatchObject({ result: 'ok' });
    await app.end('SIGTERM');
    const fetched = node.requestsOf('getBlock').slice(before);
    expect(fetched.filter(({ params: [slot] }) => Number(slot) < tip)).toEqual([]);
  });

  it('refuses a node of another chain', async () => {
    node.genesisHash = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG';
    const app = FresnelProcess.start([], env());
    await app.waitFor(/choose another FRESNEL_DATA_DIR or DATABASE_URL/);
    expect((await app.exited()).code).toBe(1);
  });
});

const V1_TREES = generatedTrees()
  .filter(({ type }) => type === 'stateV1')
  .map(({ tree }) => toBase58(tree));

/** Reads every answer with the client, and compares the results with the oracle. @returns number of answers by method */
async function readEverything(rpc: Rpc, oracle: LedgerOracle) {
  const key = (text: string) => new PublicKey(text);
  const read = { accounts: 0, transactions: 0, signatures: 0, holders: 0, proofs: 0 };
  for (const hash of oracle.liveAccounts()) {
    const { value: account } = oracle.getCompressedAccount({ hash });
    // Each version of the client reads only the trees of its version.
    featureFlags.version = account && V1_TREES.includes(account.tree) ? VERSION.V1 : VERSION.V2;
    const found = await rpc.getCompressedAccount(undefined, bn(key(hash).toBytes()));
    expect([found?.owner.toBase58(), String(found?.lamports), found?.leafIndex]).toEqual([
      account?.owner,
      String(account?.lamports),
      account?.leafIndex,
    ]);
    read.accounts++;
  }
  for (const { signature, result } of oracle.signatures()) {
    if (result !== 'compression') continue; // the client treats null as an error
    const { compressionInfo } = oracle.getTransactionWithCompressionInfo(signature) ?? {};
    const trees = [compressionInfo?.openedAccounts, compressionInfo?.closedAccounts].flat();
    const areV1 = trees.map((touched) => V1_TREES.includes(touched?.account.tree ?? ''));
    if (new Set(areV1).size !== 1) continue; // no version of the client reads both kinds
    featureFlags.version = areV1[0] ? VERSION.V1 : VERSION.V2;
    const found = await rpc.getTransactionWithCompressionInfo(signature);
    expect(found?.compressionInfo.openedAccounts).toHaveLength(compressionInfo?.openedAccounts.length ?? -1);
    expect(found?.compressionInfo.closedAccounts).toHaveLength(compressionInfo?.closedAccounts.length ?? -1);
    read.transactions++;
  }
  for (const owner of oracle.owners()) {
    const { items } = await rpc.getCompressionSignaturesForOwner(key(owner));
    expect(items).toEqual(oracle.getCompressionSignaturesForOwner(owner).value.items);
    read.signatures++;
  }
  for (const owner of oracle.tokenOwners()) {
    const { items } = await rpc.getCompressionSignaturesForTokenOwner(key(owner));
    expect(items).toEqual(oracle.getCompressionSignaturesForTokenOwner(owner).value.items);
    read.signatures++;
  }
  for (const mint of oracle.mints()) {
    const { items } = (await rpc.getCompressedMintTokenHolders(key(mint))).value;
    const holders = oracle.getCompressedMintTokenHolders(mint).value.items;
    expect(items.map(({ owner, balance }) => [owner.toBase58(), String(balance)])).toEqual(
      holders.map(({ owner, balance }) => [owner, String(balance)]),
    );
    read.holders++;
  }
  const fresh = [bn(1_000_003), bn(20_000_003), bn(300_000_007), bn(4_000_000_007), bn(50_000_000_021)];
  for (const proof of await rpc.getMultipleNewAddressProofs(fresh)) {
    expect(proof.merkleProofHashedIndexedElementLeaf).toHaveLength(26);
    read.proofs++;
  }
  expect(await rpc.getIndexerSlot()).toBe(oracle.slot);
  expect(await rpc.getIndexerHealth()).toBe('ok');
  return read;
}
