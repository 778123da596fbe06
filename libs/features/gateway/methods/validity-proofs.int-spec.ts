import { blockhashAt } from '@fresnel/testing/chain';
import { AddressExistsError, type ProverClient } from '@fresnel/adapters/prover-client';
import {
  type ProofInputs,
  ProofRejectedError,
  type ValidityProver,
  ValidityProverUnavailableError,
} from '@fresnel/adapters/validity-prover';
import { poseidon, poseidonBatch } from '@fresnel/domain/poseidon';
import { be32, type Hash, keyOf, type Pubkey, toBase58, toPubkey, ZERO_HASH } from '@fresnel/domain/primitives';
import { MerklePaths, NodePages } from '@fresnel/domain/trees';
import { hashPublicInputs, rootsOfPaths } from '@fresnel/domain/trees/validity-proofs';
import {
  RpcChecker,
  startTestGateway,
  TEST_ADDRESS_TREE,
  type TestGateway,
  UNEXPECTED_PROVER,
  packProofs,
} from '@fresnel/testing/gateway';
import { captureLog } from '@fresnel/testing/generic';
import {
  createTestDatabase,
  insertAccount,
  insertTree,
  setIndexedSlot,
  type TestDatabase,
} from '@fresnel/testing/store';

const SLOT = 500;
const key = (byte: number) => toPubkey(Buffer.alloc(32, byte));
const text = (bytes: Buffer) => toBase58(bytes);

const V1_TREE = { tree: key(0x31), queue: key(0x32), treeType: 1 };
const V2_TREE = { tree: key(0x33), queue: key(0x34), treeType: 3, appendedLeaves: 100 };
const V1_ADDRESSES = { tree: TEST_ADDRESS_TREE, queue: key(0x36), treeType: 2 };
const V2_ADDRESSES = { tree: key(0x37), queue: key(0x37), treeType: 4 };

const account = (index: number) => be32(1_000 + index);
const QUEUED = be32(7);
const SPENT = be32(8);
/** Accounts 0 to 29 are in the V1 tree, 30 to 59 in the V2 tree. */
const V1_ACCOUNTS = Array.from({ length: 30 }, (_, index) => account(index));
const V2_ACCOUNTS = Array.from({ length: 30 }, (_, index) => account(index + 30));

/** The path of the only element of an address tree. */
const SIBLINGS = [be32(50), be32(51)];
const HEIGHT = 7;
const ROOT_SEQ = 2n ** 40n + 7n;
/** `insertTree` writes this length of the root history. */
const ROOT_INDEX = Number(ROOT_SEQ % 2400n);
const PROOF = { a: Buffer.alloc(32, 1), b: Buffer.alloc(64, 2), c: Buffer.alloc(32, 3) };

/** One state tree with all accounts, and address trees in which all addresses have the same neighbours. */
class PathProver implements ProverClient {
  readonly findQueues = UNEXPECTED_PROVER.findQueues;
  readonly findQueueElements = UNEXPECTED_PROVER.findQueueElements;
  isBroken = false;
  private readonly nodes = new NodePages(() => undefined, poseidon);
  private readonly leaves = new Map<number, Hash>([
    ...Array.from({ length: 60 }, (_, index): [number, Hash] => [index, account(index)]),
    [99, SPENT],
  ]);
  private readonly root = this.nodes.writeLeaves(this.leaves, HEIGHT);

  proveLeaves(tree: Pubkey, leafIndices: readonly number[]) {
    const root = this.isBroken ? be32(1) : this.root;
    return Promise.resolve({
      slot: SLOT,
      blockhash: blockhashAt(SLOT),
      root,
      rootSeq: ROOT_SEQ,
      nextIndex: 100n,
      leaves: leafIndices.map((leafIndex) => this.leaves.get(leafIndex) ?? ZERO_HASH),
      paths: MerklePaths.read(this.nodes, leafIndices, HEIGHT),
    });
  }

  proveNewAddresses(tree: Pubkey, addresses: readonly Hash[]) {
    if (addresses.some((address) => address.equals(be32(666)))) throw new AddressExistsError(be32(666));
    const isOutside = addresses.some((address) => address.equals(be32(555)));
    const [low, high] = [ZERO_HASH, be32(isOutside ? 500n : 2n ** 248n - 1n)];
    const isV1 = tree.equals(V1_ADDRESSES.tree);
    const leaf = poseidon(isV1 ? [low, be32(1), high] : [low, high]);
    const [root] = rootsOfPaths([{ leaf, leafIndex: 0, siblings: SIBLINGS }], poseidonBatch);
    const proofs = addresses.map((address) => ({
      address,
      lowerRangeAddress: low,
      higherRangeAddress: high,
      lowElementLeafIndex: 0,
      nextIndex: isV1 ? 1 : 0,
      siblings: SIBLINGS,
    }));
    return Promise.resolve({
      slot: SLOT - 3,
      blockhash: blockhashAt(SLOT - 3),
      root,
      rootSeq: ROOT_SEQ,
      ...packProofs(SIBLINGS.length, proofs),
    });
  }
}

class RecordingValidityProver implements ValidityProver {
  circuits: 'full' | 'small' = 'full';
  readonly requests: ProofInputs[] = [];
  /** Why it proves nothing. */
  error: ValidityProverUnavailableError | ProofRejectedError | null = null;

  prove(inputs: ProofInputs) {
    this.requests.push(inputs);
    return this.error ? Promise.reject(this.error) : Promise.resolve(PROOF);
  }
}

interface V2Result {
  context: { slot: number };
  value: {
    compressedProof: object | null;
    accounts: { hash: string; rootIndex: object; root: string }[];
    addresses: { address: string; rootIndex: number }[];
  };
}

describe('validity proofs', () => {
  let database: TestDatabase;
  let gateway: TestGateway;
  const prover = new PathProver();
  const validityProver = new RecordingValidityProver();
  const { logger, lines } = captureLog();
  const rpc = new RpcChecker(() => gateway.url);

  beforeAll(async () => {
    database = await createTestDatabase();
    for (const tree of [V1_TREE, V2_TREE, V1_ADDRESSES, V2_ADDRESSES]) await insertTree(database.dataSource, tree);
    const row = { owner: key(0x41), lamports: 1, slot_created: 10 };
    for (const [tree, accounts, first] of [
      [V1_TREE.tree, V1_ACCOUNTS, 0],
      [V2_TREE.tree, V2_ACCOUNTS, 30],
    ] as const) {
      for (const [at, hash] of accounts.entries()) {
        await insertAccount(database.dataSource, { ...row, tree, hash, leaf_index: first + at });
      }
    }
    await insertAccount(database.dataSource, { ...row, tree: V2_TREE.tree, hash: QUEUED, leaf_index: 200 });
    await insertAccount(database.dataSource, {
      ...row,
      tree: V2_TREE.tree,
      hash: SPENT,
      leaf_index: 99,
      spent_slot: 20,
    });
    await setIndexedSlot(database.dataSource, SLOT, { blockhash: blockhashAt(SLOT) });
    gateway = await startTestGateway({ databaseUrl: database.url, prover, validityProver, logger });
  });
  beforeEach(() => {
    validityProver.requests.length = 0;
    validityProver.circuits = 'full';
    validityProver.error = null;
    prover.isBroken = false;
    lines.length = 0;
  });
  afterAll(async () => {
    await gateway.close();
    await database.drop();
  });

  const newAddress = (seed: number, { tree }: { tree: Pubkey }) => ({ address: text(be32(seed)), tree: text(tree) });
  const proofBytes = { a: [...PROOF.a], b: [...PROOF.b], c: [...PROOF.c] };
  const lastRequest = () => {
    const request = validityProver.requests.at(-1);
    if (!request) throw new Error('no proof was requested');
    return request;
  };

  it('list accounts before addresses', async () => {
    const params = { hashes: [text(V1_ACCOUNTS[4])], newAddresses: [text(be32(77))] };
    const result = await rpc.result('getValidityProof', params);
    const { accounts, addresses, publicInputHash, version } = lastRequest();
    expect([version, publicInputHash]).toEqual([1, null]);
    expect(result).toEqual({
      context: { slot: SLOT },
      value: {
        compressedProof: proofBytes,
        roots: [text(accounts[0].root), text(addresses[0].root)],
        rootIndices: [ROOT_INDEX, ROOT_INDEX],
        leafIndices: [4, 0],
        leaves: [text(V1_ACCOUNTS[4]), text(be32(77))],
        merkleTrees: [text(V1_TREE.tree), text(V1_ADDRESSES.tree)],
      },
    });
  });

  it('commit to all roots, leaves and addresses of V2 trees', async () => {
    const params = {
      hashes: [text(V2_ACCOUNTS[1])],
      newAddressesWithTrees: [newAddress(78, V2_ADDRESSES), newAddress(79, V2_ADDRESSES)],
    };
    const { value } = (await rpc.result('getValidityProofV2', params)) as V2Result;
    const inputs = lastRequest();
    expect(inputs.version).toBe(2);
    expect(inputs.publicInputHash).toEqual(hashPublicInputs(inputs, poseidon));
    expect(value.compressedProof).toEqual(proofBytes);
    expect(value.accounts[0]).toMatchObject({
      hash: text(V2_ACCOUNTS[1]),
      rootIndex: { rootIndex: ROOT_INDEX, proveByIndex: false },
      merkleContext: { treeType: 3, tree: text(V2_TREE.tree), queue: text(V2_TREE.queue), nextTreeContext: null },
    });
    expect(value.addresses.map(({ address, rootIndex }) => [address, rootIndex])).toEqual(
      [78, 79].map((seed) => [text(be32(seed)), ROOT_INDEX]),
    );
  });

  it('are not needed for accounts in an output queue', async () => {
    const { context, value } = (await rpc.result('getValidityProofV2', { hashes: [text(QUEUED)] })) as V2Result;
    expect(context).toEqual({ slot: SLOT });
    expect(value).toMatchObject({
      compressedProof: null,
      accounts: [{ root: text(ZERO_HASH), rootIndex: { rootIndex: 0, proveByIndex: true }, leafIndex: 200 }],
      addresses: [],
    });
    expect(validityProver.requests).toEqual([]);
  });

  it('of accounts in a queue and in a tree are in the order of the request', async () => {
    const hashes = [QUEUED, V2_ACCOUNTS[3]].map(text);
    const { value } = (await rpc.result('getValidityProofV2', { hashes })) as V2Result;
    expect(value.accounts.map(({ hash }) => hash)).toEqual(hashes);
    expect(lastRequest().accounts.map(({ leaf }) => keyOf(leaf))).toEqual([keyOf(V2_ACCOUNTS[3])]);
  });

  it('of nothing are null', async () => {
    const nothing = { context: { slot: SLOT }, value: { compressedProof: null, accounts: [], addresses: [] } };
    expect(await rpc.result('getValidityProofV2', {})).toEqual(nothing);
    expect(await rpc.result('getValidityProofV2', { hashes: [], newAddressesWithTrees: null })).toEqual(nothing);
  });

  it('of a consumed account exist in V1 only', async () => {
    const params = { hashes: [text(SPENT)] };
    await rpc.result('getValidityProof', params);
    const message = `The account ${text(SPENT)} is spent`;
    expect(await rpc.errorOf('getValidityProofV2', params)).toEqual({ code: -32000, message });
  });

  describe.each(['getValidityProof', 'getValidityProofV2'])('%s refuses', (method) => {
    it.each([
      ['an unknown hash', { hashes: [text(be32(1))] }, `No account with the hash ${text(be32(1))} is known`],
      [
        'an address that exists',
        { newAddressesWithTrees: [newAddress(666, V2_ADDRESSES)] },
        `Address ${text(be32(666))} already exists`,
      ],
      [
        'an unknown tree',
        { newAddressesWithTrees: [newAddress(1, { tree: key(0xee) })] },
        `Tree ${text(key(0xee))} is not known`,
      ],
    ])('%s', async (_, params, message) => {
      expect(await rpc.errorOf(method, params)).toEqual({ code: -32000, message });
    });

    it.each([
      [
        'more accounts than a circuit has',
        { hashes: V1_ACCOUNTS.slice(0, 5).map(text) },
        '5 accounts cannot be proven together, but 1 to 4 or 8 accounts of V1 trees',
      ],
      [
        'more accounts than with addresses',
        { hashes: V2_ACCOUNTS.slice(0, 5).map(text), newAddressesWithTrees: [newAddress(1, V2_ADDRESSES)] },
        expect.stringContaining('5 accounts and 1 addresses cannot be proven together') as string,
      ],
      [
        'trees of both versions',
        { hashes: [V1_ACCOUNTS[0], V2_ACCOUNTS[0]].map(text) },
        'accounts and addresses of V1 and of V2 trees cannot be proven together',
      ],
      [
        'an address of a V2 tree with an account of a V1 tree',
        { hashes: [text(V1_ACCOUNTS[0])], newAddressesWithTrees: [newAddress(1, V2_ADDRESSES)] },
        'accounts and addresses of V1 and of V2 trees cannot be proven together',
      ],
      [
        'too many hashes',
        { hashes: Array(1001).fill(text(QUEUED)) },
        'hashes must contain at most 1000 hashes, not 1001',
      ],
      ['a malformed hash', { hashes: ['abc'] }, 'hashes[0] must be a hash (base58 of 32 bytes)'],
      ['an unknown member', { hash: text(QUEUED) }, 'params has an unknown member "hash"'],
      [
        'an address without a tree',
        { newAddressesWithTrees: [{ address: text(be32(5)) }] },
        'newAddressesWithTrees[0].tree is required',
      ],
    ])('%s', async (_, params, reason) => {
      const error = await rpc.errorOf(method, params);
      expect(error).toEqual({
        code: -32602,
        message: typeof reason === 'string' ? `Invalid params: ${reason}` : reason,
      });
      expect(validityProver.requests).toEqual([]);
    });
  });

  it.each([
    ['getValidityProof', {}, 'hashes or new addresses are required'],
    [
      'getValidityProof',
      { newAddresses: [], newAddressesWithTrees: [] },
      'newAddresses and newAddressesWithTrees must not both be given',
    ],
    ['getValidityProofV2', { newAddresses: [] }, 'params has an unknown member "newAddresses"'],
    ['getValidityProofV2', { hashes: [QUEUED, QUEUED].map(text) }, `hashes contains ${text(QUEUED)} twice`],
  ])('%s rejects %j', async (method, params, reason) => {
    expect(await rpc.errorOf(method, params)).toEqual({ code: -32602, message: `Invalid params: ${reason}` });
  });

  it('getValidityProof refuses an account in an output queue', async () => {
    const message = `The account ${text(QUEUED)} is not in its tree yet: it is queued`;
    expect(await rpc.errorOf('getValidityProof', { hashes: [text(QUEUED)] })).toEqual({ code: -32000, message });
  });

  it('depend on the circuits that are configured', async () => {
    validityProver.circuits = 'small';
    const params = { newAddressesWithTrees: [1, 2, 3].map((seed) => newAddress(seed, V2_ADDRESSES)) };
    const message = 'Invalid params: 3 addresses cannot be proven together, but 1 to 2 addresses of V2 trees';
    expect(await rpc.errorOf('getValidityProofV2', params)).toEqual({ code: -32602, message });
  });

  describe('are internal errors', () => {
    const subjects = { hashes: [text(V2_ACCOUNTS[0])], newAddressesWithTrees: [newAddress(80, V2_ADDRESSES)] };
    const reasonOf = async (params: object = subjects) => {
      const internal = { status: 500, error: { code: -32603, message: 'Internal error' } };
      expect(await rpc.call('getValidityProofV2', params)).toMatchObject(internal);
      return lines.find(({ msg }) => msg === 'call failed');
    };

    it('while the prover is away', async () => {
      validityProver.error = new ValidityProverUnavailableError('away');
      expect(await reasonOf()).toMatchObject({ error: { message: 'away' } });
    });

    it('if the prover rejects the inputs', async () => {
      validityProver.error = new ProofRejectedError('no proof');
      expect(await reasonOf()).toMatchObject({ error: { message: 'no proof' } });
    });

    it('if a path does not lead to the root, which the prover is not asked to prove', async () => {
      prover.isBroken = true;
      expect(await reasonOf()).toMatchObject({
        error: { message: 'the path of leaf 30 does not lead to the root of its tree' },
      });
      expect(validityProver.requests).toEqual([]);
    });

    it('if an address does not lie between its neighbours', async () => {
      expect(await reasonOf({ newAddressesWithTrees: [newAddress(555, V2_ADDRESSES)] })).toMatchObject({
        error: { message: `the address ${text(be32(555))} does not lie between its neighbours in its tree` },
      });
      expect(validityProver.requests).toEqual([]);
    });
  });

  it('are refused without a prover, but for accounts in an output queue', async () => {
    const without = await startTestGateway({ databaseUrl: database.url, prover });
    const calls = new RpcChecker(() => without.url);
    const message = 'No prover for validity proofs is configured: set VALIDITY_PROVER_URL';
    expect(await calls.errorOf('getValidityProofV2', { hashes: [text(V2_ACCOUNTS[0])] })).toEqual({
      code: -32000,
      message,
    });
    await calls.result('getValidityProofV2', { hashes: [text(QUEUED)] });
    await without.close();
  });
});
