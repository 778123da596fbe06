import { be32, parseHash, toBase58 } from '@fresnel/domain/primitives';
import { type TreeType } from '@fresnel/domain/trees';
import {
  generatedTrees,
  type LedgerOracle,
  type ProofStatement,
  Random,
  type ValidityProofRequest,
} from '@fresnel/ledger-generator';
import { Opened } from '@fresnel/testing/generic';
import { callRpc, FresnelProcess, LiveLedger } from '@fresnel/testing/stack';
import {
  findProvableAccounts,
  LightProver,
  newAddressesFor,
  type ProofBytes,
  type ProvableAccounts,
  publicInputsOf,
  verifiesProof,
} from '@fresnel/testing/validity-proofs';
import {
  bn,
  checkValidityProofShape,
  createRpc,
  DerivationMode,
  featureFlags,
  type Rpc,
  type TreeInfo,
  TreeType as ClientTreeType,
  type ValidityProofWithContext,
  VERSION,
} from '@lightprotocol/stateless.js';
import { PublicKey } from '@solana/web3.js';

const SEED = 71;
/** Enough that the root histories of V2 state trees have wrapped around. */
const BLOCKS = 400;
/** The sizes for which the package has keys: accounts and addresses. */
const SIZES = [
  [1, 0],
  [2, 0],
  [3, 0],
  [4, 0],
  [0, 1],
  [0, 2],
  [1, 1],
  [1, 2],
  [2, 1],
] as const;
const METHODS = ['getValidityProof', 'getValidityProofV2'] as const;
const CASES = METHODS.flatMap((method) =>
  ([1, 2] as const).flatMap((version) =>
    SIZES.map(([accounts, addresses]) => ({ method, version, accounts, addresses })),
  ),
);

/** The value of a response of either method. */
interface ProofValue {
  compressedProof: ProofBytes | null;
}

describe("with Light Protocol's prover", () => {
  const opened = new Opened();
  const random = new Random(SEED);
  let prover: LightProver;
  let oracle: LedgerOracle;
  let provable: ProvableAccounts;
  let url: string;

  beforeAll(async () => {
    prover = opened.add(await LightProver.start());
    const isReady = prover.waitUntilReady();
    const ledger = opened.add(await LiveLedger.open({ seed: SEED, slots: BLOCKS }, BLOCKS));
    ({ oracle } = ledger);
    provable = findProvableAccounts(oracle);
    const env = { ...ledger.env, VALIDITY_PROVER_URL: prover.url, VALIDITY_PROVER_CIRCUITS: 'small' };
    const app = FresnelProcess.start([], env);
    opened.add({ close: () => app.end('SIGTERM').then(() => undefined) });
    await app.waitForSlot(ledger.tip);
    url = await app.url();
    await isReady;
  });
  afterAll(() => opened.close());

  function pick(hashes: readonly string[], count: number): string[] {
    const picked = random.sample(hashes, count);
    if (picked.length < count) throw new Error(`the ledger has only ${picked.length} such accounts`);
    return picked;
  }

  /** Calls a method, and compares all but the proof with the oracle's answer. */
  async function prove(method: (typeof METHODS)[number], request: ValidityProofRequest) {
    const expected = oracle[method](request);
    if (expected.outcome !== 'proven') throw new Error(`the oracle answers ${expected.outcome}`);
    const params = { hashes: request.hashes, newAddressesWithTrees: request.addresses };
    const { result } = await callRpc(url, { method, params });
    const { compressedProof, ...value } = (result as { value: ProofValue }).value;
    expect({ ...(result as object), value }).toEqual({ context: expected.context, value: expected.value });
    return { compressedProof, statement: expected.statement };
  }

  /** Expects that the proof proves the statement, and no other. */
  function expectProof(proof: ProofBytes | null, statement: ProofStatement | null): void {
    if (!proof || !statement) throw new Error('there is no proof');
    const { version, accounts, addresses } = statement;
    const key = prover.verifyingKey({ version, accounts: accounts.length, addresses: addresses.length });
    const inputs = publicInputsOf(statement);
    expect(verifiesProof(key, proof, inputs)).toBe(true);
    for (const at of inputs.keys()) expect(verifiesProof(key, proof, inputs.with(at, inputs[at] ^ 1n))).toBe(false);
    for (const part of ['a', 'b', 'c'] as const) {
      const bytes = proof[part];
      const last = bytes.length - 1;
      expect(verifiesProof(key, { ...proof, [part]: bytes.with(last, bytes[last] ^ 1) }, inputs)).toBe(false);
      expect(verifiesProof(key, { ...proof, [part]: bytes.with(0, bytes[0] ^ 0x80) }, inputs)).toBe(false);
    }
  }

  it.each(CASES)(
    '$method proves $accounts accounts and $addresses addresses of V$version trees',
    async ({ method, version, accounts, addresses }) => {
      const request = {
        hashes: pick(provable.inTrees[version], accounts),
        addresses: newAddressesFor(version, addresses),
      };
      const { compressedProof, statement } = await prove(method, request);
      expect(statement).toMatchObject({ version });
      expectProof(compressedProof, statement);
    },
  );

  it('getValidityProofV2 proves accounts in output queues by index', async () => {
    const { compressedProof } = await prove('getValidityProofV2', {
      hashes: pick(provable.queued, 4),
      addresses: [],
    });
    expect(compressedProof).toBeNull();
  });

  it.each([1, 2] as const)('getValidityProofV2 omits queued accounts from a proof of V%d trees', async (version) => {
    const [first, second] = pick(provable.inTrees[version], 2);
    const [queued, other] = pick(provable.queued, 2);
    const hashes = [queued, first, other, second];
    const { compressedProof, statement } = await prove('getValidityProofV2', {
      hashes,
      addresses: newAddressesFor(version, 1),
    });
    expect(statement?.accounts).toHaveLength(2);
    expectProof(compressedProof, statement);
  });

  it('getValidityProof proves addresses of the default tree', async () => {
    const [{ address, tree }] = newAddressesFor(1, 1);
    const expected = oracle.getValidityProof({ hashes: [], addresses: [{ address, tree }] });
    if (expected.outcome !== 'proven') throw new Error(`the oracle answers ${expected.outcome}`);
    const { result } = await callRpc(url, { method: 'getValidityProof', params: { newAddresses: [address] } });
    const { compressedProof, ...value } = (result as { value: ProofValue }).value;
    expect(value).toEqual(expected.value);
    expectProof(compressedProof, expected.statement);
  });

  describe('the public client library', () => {
    const VERSIONS = { 1: VERSION.V1, 2: VERSION.V2 };
    /** For a node at this address the client uses its built-in list of trees and sends no request. */
    const NODE = 'http://127.0.0.1:8899';

    function clientOf(version: 1 | 2): Rpc {
      featureFlags.version = VERSIONS[version];
      return createRpc(NODE, url, url);
    }

    /** Expects what the oracle answers, and a proof that the client can send to the chain. */
    function expectParsed(parsed: ValidityProofWithContext, request: ValidityProofRequest): void {
      const expected = oracle.getValidityProof(request);
      if (expected.outcome !== 'proven') throw new Error(`the oracle answers ${expected.outcome}`);
      const { value, statement } = expected;
      const textOf = (integer: unknown) => toBase58(be32(BigInt(String(integer))));
      const { length } = request.hashes;
      expect({
        roots: parsed.roots.map(textOf),
        rootIndices: parsed.rootIndices,
        leaves: parsed.leaves.map(textOf),
        merkleTrees: parsed.treeInfos.map(({ tree }) => tree.toBase58()),
        // In version V2 the client has no leaf indices of addresses.
        leafIndices: parsed.leafIndices.slice(0, length),
      }).toEqual({ ...value, leafIndices: value.leafIndices.slice(0, length) });
      if (!parsed.compressedProof) throw new Error('there is no proof');
      checkValidityProofShape(parsed.compressedProof);
      expectProof(parsed.compressedProof, statement);
    }

    it.each([1, 2] as const)('reads proofs of accounts by hash in version V%d', async (version) => {
      const hashes = pick(provable.inTrees[version], 2);
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- old clients call it
      expectParsed(await clientOf(version).getValidityProof(hashes.map(toInteger)), { hashes, addresses: [] });
    });

    it('reads proofs of addresses of the default tree', async () => {
      const addresses = newAddressesFor(1, 1);
      const integers = addresses.map(({ address }) => toInteger(address));
      for (const hashes of [[], pick(provable.inTrees[1], 2)]) {
        // eslint-disable-next-line @typescript-eslint/no-deprecated -- old clients call it
        const parsed = await clientOf(1).getValidityProof(hashes.map(toInteger), integers);
        expectParsed(parsed, { hashes, addresses });
      }
    });

    it.each([1, 2] as const)('reads proofs of accounts and addresses of V%d trees', async (version) => {
      const request = { hashes: pick(provable.inTrees[version], 1), addresses: newAddressesFor(version, 2) };
      const [state, address] = [treeInfoOf(`stateV${version}`), treeInfoOf(`addressV${version}`)];
      const accounts = request.hashes.map((hash) => ({ hash: toInteger(hash), ...state }));
      const addresses = request.addresses.map((each) => ({ address: toInteger(each.address), ...address }));
      const rpc = clientOf(version);
      expectParsed(await rpc.getValidityProofV0(accounts, addresses), request);
      const { context, value } = await rpc.getValidityProofAndRpcContext(accounts, addresses);
      expect(context).toEqual({ slot: oracle.slot });
      expectParsed(value, request);
    });

    it.each([1, 2] as const)('reads proofs by the Merkle context of accounts in version V%d', async (version) => {
      const request = { hashes: pick(provable.inTrees[version], 1), addresses: newAddressesFor(version, 1) };
      const rpc = clientOf(version);
      const accounts = await rpc.getMultipleCompressedAccounts(request.hashes.map(toInteger));
      const treeInfo = treeInfoOf(`addressV${version}`);
      const addresses = request.addresses.map(({ address }) => ({ address: parseHash(address), treeInfo }));
      expectParsed(await rpc.getValidityProofV2(accounts, addresses, DerivationMode.standard), request);
    });

    it('proves accounts in output queues by index', async () => {
      const hashes = pick(provable.queued, 3).map(toInteger);
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- old clients call it
      const { compressedProof, proveByIndices } = await clientOf(2).getValidityProof(hashes);
      expect([compressedProof, proveByIndices]).toEqual([null, [true, true, true]]);
    });
  });
});

/** An integer of the client, which is an object of a library without types. */
function toInteger(hash: string): unknown {
  return bn(parseHash(hash));
}

const CLIENT_TYPES = {
  stateV1: ClientTreeType.StateV1,
  addressV1: ClientTreeType.AddressV1,
  stateV2: ClientTreeType.StateV2,
  addressV2: ClientTreeType.AddressV2,
};

/** The first tree of a type. */
function treeInfoOf(type: TreeType): TreeInfo {
  const found = generatedTrees().find((tree) => tree.type === type);
  if (!found) throw new Error('there is no such tree');
  const [tree, queue] = [found.tree, found.queue].map((key) => new PublicKey(key));
  return { tree, queue, treeType: CLIENT_TYPES[type], nextTreeInfo: null };
}
