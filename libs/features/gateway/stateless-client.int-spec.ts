import { blockhashAt } from '@fresnel/testing/chain';
import { type ProverClient } from '@fresnel/adapters/prover-client';
import {
  be32,
  type Hash,
  MAX_U64,
  parsePubkey,
  type Pubkey,
  type Signature,
  toBase58,
  toPubkey,
  toSignature,
  ZERO_HASH,
} from '@fresnel/domain/primitives';
import { startTestGateway, type TestGateway, UNEXPECTED_PROVER, packProofs } from '@fresnel/testing/gateway';
import {
  createTestDatabase,
  insertAccount,
  insertHolders,
  insertSignatures,
  insertTransaction,
  insertTree,
  listUnspentAccounts,
  setIndexedSlot,
  type TestDatabase,
} from '@fresnel/testing/store';
import { bn, createRpc, featureFlags, type Rpc, rpcRequest, VERSION } from '@lightprotocol/stateless.js';
import { PublicKey } from '@solana/web3.js';

/** Trees in the client's own list. */
const V1_TREE = {
  tree: parsePubkey('smt1NamzXdq4AMqS2fS2F1i5KTYPZRhoHgWx38d8WsT'),
  queue: parsePubkey('nfq1NvQDJ2GEgnS8zt9prAe8rjjpAW1zFkrvZoBR148'),
  treeType: 1,
};
const V2_TREE = {
  tree: parsePubkey('bmt1LryLZUMmF7ZtqESaw7wifBXLfXHQYoE4GAmrahU'),
  queue: parsePubkey('oq1na8gojfdUhsfCpyjNt6h4JaDWtHf1yQj4koBWfto'),
  treeType: 3,
};
const OWNER = toPubkey(Buffer.alloc(32, 3));
const MINT = toPubkey(Buffer.alloc(32, 4));

/** An account and the transaction that created it. Each version of the client reads only its own trees. */
interface Creation {
  tree: typeof V1_TREE;
  account: Hash;
  consumed: Hash;
  address: Hash;
  signature: Signature;
  slot: number;
  /** Owner of the account and of its tokens, and their delegate. */
  owner: Pubkey;
}
/** Ids of test transactions follow from the slot if the signature begins with zeros. */
const createdIn = (tree: typeof V1_TREE, byte: number, slot: number): Creation => ({
  tree,
  slot,
  owner: toPubkey(Buffer.alloc(32, byte)),
  account: be32(byte),
  consumed: be32(byte + 1),
  address: be32(byte + 2),
  signature: toSignature(Buffer.alloc(64, byte).fill(0, 0, 2)),
});
const IN_V1 = createdIn(V1_TREE, 0x10, 5);
const IN_V2 = createdIn(V2_TREE, 0x20, 6);

/** The client's integers are objects of a library without types. */
const digits = (integer: unknown) => String(integer);

const prover: ProverClient = {
  ...UNEXPECTED_PROVER,
  proveNewAddresses: (_, addresses) =>
    Promise.resolve({
      slot: 7,
      blockhash: blockhashAt(7),
      root: be32(1),
      rootSeq: 2403n,
      ...packProofs(
        26,
        addresses.map((address) => ({
          address,
          lowerRangeAddress: ZERO_HASH,
          higherRangeAddress: be32(2n ** 248n - 1n),
          lowElementLeafIndex: 0,
          nextIndex: 1,
          siblings: Array.from({ length: 26 }, (_, level) => be32(level + 1)),
        })),
      ),
    }),
};

describe('the public client library', () => {
  let database: TestDatabase;
  let gateway: TestGateway;
  let rpc: Rpc;

  beforeAll(async () => {
    database = await createTestDatabase();
    await seed(database);
    gateway = await startTestGateway({ databaseUrl: database.url, prover });
    // For a node at this address the client uses its built-in list of trees and sends no request.
    rpc = createRpc('http://127.0.0.1:8899', gateway.url, gateway.url);
  });
  afterAll(async () => {
    await gateway.close();
    await database.drop();
  });

  describe.each([
    [VERSION.V1, IN_V1],
    [VERSION.V2, IN_V2],
  ])('in version %s', (version, { tree, account, address, signature, owner }) => {
    const ownerKey = new PublicKey(owner);

    beforeAll(() => {
      featureFlags.version = version;
    });

    it('reads an account by hash and by address', async () => {
      for (const found of [
        await rpc.getCompressedAccount(undefined, bn(account)),
        await rpc.getCompressedAccount(bn(address)),
      ]) {
        expect(digits(found?.hash)).toBe(digits(bn(account)));
        expect(found?.address).toEqual([...address]);
        expect(found?.owner.toBase58()).toBe(toBase58(owner));
        expect(digits(found?.lamports)).toBe(digits(MAX_U64));
        expect(found?.data?.discriminator).toEqual(Array(8).fill(255));
        expect(found?.treeInfo.tree.toBase58()).toBe(toBase58(tree.tree));
      }
    });

    it('reads several accounts', async () => {
      const found = await rpc.getMultipleCompressedAccounts([bn(account)]);
      expect(found.map(({ hash, treeInfo }) => [digits(hash), treeInfo.tree.toBase58()])).toEqual([
        [digits(bn(account)), toBase58(tree.tree)],
      ]);
    });

    it('reads accounts by owner, with a filter', async () => {
      const filters = [{ memcmp: { offset: 0, bytes: toBase58(Buffer.from('data')) } }];
      for (const config of [undefined, { filters }, { dataSlice: { offset: 0, length: 1 } }, { limit: bn(1) }]) {
        const { items } = await rpc.getCompressedAccountsByOwner(ownerKey, config);
        expect(items.map(({ hash }) => digits(hash))).toEqual([digits(bn(account))]);
      }
    });

    it('reads token accounts by owner and by delegate, and pages them', async () => {
      for (const list of ['getCompressedTokenAccountsByOwner', 'getCompressedTokenAccountsByDelegate'] as const) {
        const first = await rpc[list](ownerKey, { mint: new PublicKey(MINT), limit: bn(1) });
        expect(first.items.map(({ parsed }) => digits(parsed.amount))).toEqual([digits(MAX_U64)]);
        const second = await rpc[list](ownerKey, { limit: bn(1), cursor: first.cursor ?? undefined });
        expect(second).toEqual({ items: [], cursor: null });
      }
    });

    it('reads null for an unknown account', async () => {
      await expect(rpc.getCompressedAccount(bn(be32(1)))).resolves.toBeNull();
    });

    it('reads a transaction with its compression info', async () => {
      const found = await rpc.getTransactionWithCompressionInfo(toBase58(signature));
      expect(found?.compressionInfo.closedAccounts).toHaveLength(1);
      expect(found?.compressionInfo.openedAccounts).toHaveLength(1);
      expect(digits(found?.compressionInfo.openedAccounts[0].maybeTokenData?.amount)).toBe(digits(MAX_U64));
      expect(found?.compressionInfo.postTokenBalances?.map(({ amount }) => digits(amount))).toEqual([digits(MAX_U64)]);
    });
  });

  it('reads signatures and pages them', async () => {
    const key = new PublicKey(OWNER);
    for (const list of ['getCompressionSignaturesForOwner', 'getCompressionSignaturesForTokenOwner'] as const) {
      const first = await rpc[list](key, { limit: bn(1), cursor: undefined });
      expect(first.items).toEqual([{ signature: toBase58(IN_V2.signature), slot: 6, blockTime: 1_700_000_000 }]);
      const second = await rpc[list](key, { limit: bn(1), cursor: first.cursor ?? undefined });
      expect(second).toEqual({ items: [], cursor: null });
    }
  });

  it('reads the signatures of an account, of an address, and the latest', async () => {
    const expected = [{ signature: toBase58(IN_V2.signature), slot: 6, blockTime: 1_700_000_000 }];
    const ofAccount = await rpc.getCompressionSignaturesForAccount(bn(IN_V2.account));
    const ofAddress = await rpc.getCompressionSignaturesForAddress(new PublicKey(IN_V2.address));
    const { value: latest } = await rpc.getLatestCompressionSignatures(undefined, 1);
    expect([ofAccount, ofAddress.items, latest.items]).toEqual([expected, expected, expected]);
    expect(latest.cursor).not.toBeNull();
  });

  it('reads balances', async () => {
    const owner = new PublicKey(IN_V1.owner);
    expect(digits(await rpc.getCompressedBalance(undefined, bn(IN_V1.account)))).toBe(digits(MAX_U64));
    expect(digits(await rpc.getCompressedBalanceByOwner(owner))).toBe(digits(MAX_U64));
    const { amount } = await rpc.getCompressedTokenAccountBalance(bn(IN_V1.account));
    expect(digits(amount)).toBe(digits(MAX_U64));
    const mint = new PublicKey(MINT);
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- old clients call it
    const { items } = await rpc.getCompressedTokenBalancesByOwner(new PublicKey(OWNER), { mint });
    const { value } = await rpc.getCompressedTokenBalancesByOwnerV2(new PublicKey(OWNER));
    for (const [{ mint, balance }] of [items, value.items]) {
      expect([mint.toBase58(), digits(balance)]).toEqual([toBase58(MINT), '1']);
    }
  });

  it('reads holders and pages them', async () => {
    const first = await rpc.getCompressedMintTokenHolders(new PublicKey(MINT), { limit: bn(1), cursor: undefined });
    expect(first.value.items.map(({ balance }) => digits(balance))).toEqual([digits(MAX_U64)]);
    const cursor = first.value.cursor ?? undefined;
    const second = await rpc.getCompressedMintTokenHolders(new PublicKey(MINT), { limit: bn(1), cursor });
    expect(second.value.items.map(({ owner, balance }) => [owner.toBase58(), digits(balance)])).toEqual([
      [toBase58(OWNER), '1'],
    ]);
  });

  it('reads new-address proofs, and computes the index in the root history', async () => {
    const [proof] = await rpc.getMultipleNewAddressProofs([bn(IN_V1.address)]);
    expect(proof.rootIndex).toBe(3);
    expect(proof.merkleProofHashedIndexedElementLeaf).toHaveLength(26);
    expect(digits(proof.value)).toBe(digits(bn(IN_V1.address)));
  });

  it('requests proofs in given trees', async () => {
    const answer: unknown = await rpcRequest(gateway.url, 'getMultipleNewAddressProofsV2', [
      { address: toBase58(IN_V1.address), tree: toBase58(V2_TREE.tree) },
    ]);
    expect(answer).toMatchObject({ result: { value: [{ address: toBase58(IN_V1.address), rootSeq: 2403 }] } });
  });

  it('reads slot and health, and waits for a slot', async () => {
    await expect(rpc.getIndexerSlot()).resolves.toBe(7);
    await expect(rpc.getIndexerHealth()).resolves.toBe('ok');
    await expect(rpc.confirmTransactionIndexed(7)).resolves.toBe(true);
  });

  it('gets the message of an error', async () => {
    await expect(
      rpc.getCompressionSignaturesForOwner(new PublicKey(OWNER), { cursor: 'x', limit: undefined }),
    ).rejects.toThrow('Invalid params: cursor must be');
  });
});

async function seed({ dataSource }: TestDatabase): Promise<void> {
  await setIndexedSlot(dataSource, 7, { blockhash: blockhashAt(7) });
  for (const { tree, account, consumed, address, signature, slot, owner } of [IN_V1, IN_V2]) {
    await insertTree(dataSource, tree);
    const body = {
      owner,
      lamports: MAX_U64.toString(),
      slot_created: slot,
      tree: tree.tree,
      leaf_index: 1,
      discriminator: Buffer.alloc(8, 0xff),
      data: Buffer.from('data'),
      data_hash: be32(9),
    };
    await insertAccount(dataSource, {
      ...body,
      hash: account,
      address,
      mint: MINT,
      token_owner: owner,
      delegate: owner,
      amount: MAX_U64.toString(),
      is_frozen: false,
    });
    await insertAccount(dataSource, {
      ...body,
      hash: consumed,
      spent_slot: slot,
      nullifier: be32(10),
      tx_hash: be32(11),
    });
    await insertTransaction(dataSource, {
      signature,
      slot,
      json: TRANSACTION,
      consumed: [consumed],
      created: [account],
    });
  }
  await listUnspentAccounts(dataSource);
  const row = { signature: IN_V2.signature, slot: 6, blockTime: 1_700_000_000 };
  await insertSignatures(dataSource, 'owner_signatures', OWNER, [row]);
  await insertSignatures(dataSource, 'token_owner_signatures', OWNER, [row]);
  await insertHolders(dataSource, MINT, [
    { owner: OWNER, balance: 1n },
    { owner: MINT, balance: MAX_U64 },
  ]);
}

const TRANSACTION =
  '{"slot":6,"transaction":["AQ==","base64"],"meta":{"err":null,"fee":18446744073709551615},"blockTime":1700000000,"version":0}';
