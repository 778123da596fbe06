import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Opened, until } from '@fresnel/testing/generic';
import { FresnelProcess } from '@fresnel/testing/stack';
import { hasLiteSvm, SvmNode } from '@fresnel/testing/svm';
import { LightProver } from '@fresnel/testing/validity-proofs';
import {
  buildAndSignTx,
  compress,
  createRpc,
  featureFlags,
  type Rpc,
  transfer,
  TreeType,
  VERSION,
} from '@lightprotocol/stateless.js';
import { Keypair, LAMPORTS_PER_SOL, SystemProgram } from '@solana/web3.js';

const LAMPORTS = 1_000_000;
const TRANSFERS = 10;
/** Each of three calls. */
const LISTS = 20;
const LISTS_MS = 10_000;

const describeOnChain = hasLiteSvm() ? describe : describe.skip;

describeOnChain('stateless.js and web3.js with one URL, and a chain with the programs', () => {
  const opened = new Opened();
  const folder = mkdtempSync(join(tmpdir(), 'fresnel-wallet-'));
  let prover: LightProver;
  let rpc: Rpc;

  beforeAll(async () => {
    prover = opened.add(await LightProver.start());
    const node = opened.add(await SvmNode.start());
    const app = FresnelProcess.start([], {
      SOLANA_RPC_URL: node.url,
      UPSTREAM_RPC_PASSTHROUGH: 'default',
      VALIDITY_PROVER_URL: prover.url,
      VALIDITY_PROVER_CIRCUITS: 'small',
      RATE_LIMIT_ENABLED: 'true',
      FRESNEL_DATA_DIR: folder,
    });
    opened.add({ close: () => app.end('SIGTERM').then(() => undefined) });
    const url = await app.url();
    // web3.js would hide that a call is refused.
    rpc = createRpc(url, url, url, { commitment: 'confirmed', disableRetryOnRateLimit: true });
    // web3.js would connect again for ever if the server closed the connection.
    opened.add({ close: () => until(() => node.webSockets === 0) });
    await app.waitForSlot(node.tip);
  });
  afterAll(async () => {
    await opened.close();
    rmSync(folder, { recursive: true });
  });

  it('send and confirm a transaction', async () => {
    const from = await openWallet(1);
    const { publicKey } = walletOf(2);
    const lamports = await rpc.getMinimumBalanceForRentExemption(0);
    const payment = { fromPubkey: from.publicKey, toPubkey: publicKey, lamports };
    const block = await rpc.getLatestBlockhash();
    const transaction = buildAndSignTx([SystemProgram.transfer(payment)], from, block.blockhash);
    const signature = await rpc.sendTransaction(transaction);
    expect((await rpc.confirmTransaction({ signature, ...block })).value.err).toBeNull();
    expect(await rpc.getAccountInfo(publicKey)).toMatchObject({ lamports, owner: SystemProgram.programId });
  });

  it('transfer compressed SOL in V2 trees, and list it', () => transferAndList(VERSION.V2, TreeType.StateV2, 3));

  it('transfer compressed SOL in V1 trees, and list it', async () => {
    await prover.waitUntilReady();
    await transferAndList(VERSION.V1, TreeType.StateV1, 5);
  });

  /** A wallet with one SOL, which the client is notified of. */
  async function openWallet(seed: number): Promise<Keypair> {
    const wallet = walletOf(seed);
    const block = await rpc.getLatestBlockhash();
    const signature = await rpc.requestAirdrop(wallet.publicKey, LAMPORTS_PER_SOL);
    await rpc.confirmTransaction({ signature, ...block });
    expect(await rpc.getBalance(wallet.publicKey)).toBe(LAMPORTS_PER_SOL);
    return wallet;
  }

  async function transferAndList(version: VERSION, treeType: TreeType, seed: number): Promise<void> {
    featureFlags.version = version;
    const from = await openWallet(seed);
    const { publicKey } = walletOf(seed + 1);
    // The client would choose a tree at random.
    const tree = (await rpc.getStateTreeInfos()).find((info) => info.treeType === treeType);
    await compress(rpc, from, LAMPORTS, from.publicKey, tree);
    for (let count = 0; count < TRANSFERS; count++) await transfer(rpc, from, LAMPORTS / 100, from, publicKey);
    const sent = (LAMPORTS / 100) * TRANSFERS;
    expect(String(await rpc.getCompressedBalanceByOwner(publicKey))).toBe(String(sent));
    expect(String(await rpc.getCompressedBalanceByOwner(from.publicKey))).toBe(String(LAMPORTS - sent));

    const startedAt = performance.now();
    for (let count = 0; count < LISTS; count++) {
      const lists = await Promise.all([
        rpc.getCompressedAccountsByOwner(publicKey),
        rpc.getCompressionSignaturesForOwner(publicKey),
        rpc.getCompressedTokenAccountsByOwner(publicKey),
      ]);
      expect(lists.map(({ items }) => items.length)).toEqual([TRANSFERS, TRANSFERS, 0]);
    }
    expect(performance.now() - startedAt).toBeLessThan(LISTS_MS);
  }
});

/** A wallet that may be empty. */
function walletOf(seed: number): Keypair {
  return Keypair.fromSeed(Buffer.alloc(32, 100 + seed));
}
