import {
  AddressExistsError,
  type ProverClient,
  type ProverCallOptions,
  UnknownTreeError,
} from '@fresnel/adapters/prover-client';
import { Reader } from '@fresnel/adapters/store-read';
import { type AddressWithTree } from '@fresnel/contracts/rpc';
import { be32, type Hash, type Pubkey, type Slot, toBase58, toPubkey, ZERO_HASH } from '@fresnel/domain/primitives';
import { parseExactJson, textOf } from '@fresnel/testing/generic';
import { UNEXPECTED_PROVER, packProofs } from '@fresnel/testing/gateway';
import { NewAddressProver } from './new-address-prover';
import { ProverOnBranch } from './prover-on-branch';

const TREE_A = toPubkey(Buffer.alloc(32, 0xa));
const TREE_B = toPubkey(Buffer.alloc(32, 0xb));
const UNKNOWN_TREE = toPubkey(Buffer.alloc(32, 0xc));
const EXISTING = be32(999);
const PATH = [be32(7), be32(7), be32(8)];
const [ONE, TWO, THREE] = [be32(1), be32(2), be32(3)];

/** Returns one proof for each address and records its calls. */
class RecordingProver implements ProverClient {
  readonly calls: { tree: string; addresses: readonly Hash[]; minSlot: Slot }[] = [];
  readonly proveLeaves = UNEXPECTED_PROVER.proveLeaves;
  readonly findQueues = UNEXPECTED_PROVER.findQueues;
  readonly findQueueElements = UNEXPECTED_PROVER.findQueueElements;

  readonly requestIds: (string | undefined)[] = [];

  proveNewAddresses(tree: Pubkey, addresses: readonly Hash[], minSlot: Slot, options?: ProverCallOptions) {
    this.requestIds.push(options?.requestId);
    this.calls.push({ tree: toBase58(tree), addresses, minSlot });
    const existing = addresses.find((address) => address.equals(EXISTING));
    if (existing) return Promise.reject(new AddressExistsError(existing));
    if (tree.equals(UNKNOWN_TREE)) return Promise.reject(new UnknownTreeError(tree));
    const isA = tree.equals(TREE_A);
    return Promise.resolve({
      slot: isA ? 50 : 40,
      blockhash: null,
      root: be32(isA ? 100 : 200),
      rootSeq: 2n ** 64n - 1n,
      ...packProofs(
        PATH.length,
        addresses.map((address) => ({
          address,
          lowerRangeAddress: ZERO_HASH,
          higherRangeAddress: be32(2n ** 248n - 1n),
          lowElementLeafIndex: 0,
          nextIndex: 1,
          siblings: PATH,
        })),
      ),
    });
  }
}

/** A database with indexed slot 45, where slot 39 was the last one that changed a tree. All blocks are on its branch. */
class StubReader extends Reader {
  constructor() {
    super({ url: 'postgres://127.0.0.1:1/x', connections: 1, timeoutMs: 1, applicationName: 'test' });
  }

  override query(): Promise<never[]> {
    return Promise.resolve([{ indexed_slot: '45', min_slot: '39', min_blockhash: null } as never]);
  }

  override lookUp(): Promise<never> {
    return Promise.resolve({ is_on_branch: true, closure: null } as never);
  }
}

function createProver(client: ProverClient): NewAddressProver {
  const reader = new StubReader();
  return new NewAddressProver(new ProverOnBranch(client, reader), reader);
}

interface Item {
  address: string;
  merkleTree: string;
}

/** Asks the prover, and parses its result with all digits. */
async function prove(client: ProverClient, requests: AddressWithTree[]) {
  return parseExactJson(textOf(await createProver(client).prove(requests))) as { context: unknown; value: Item[] };
}

describe('new-address proofs', () => {
  it('are requested once for each tree and returned in the order of the request, with duplicates', async () => {
    const prover = new RecordingProver();
    const { context, value } = await prove(prover, [
      { tree: TREE_A, address: THREE },
      { tree: TREE_B, address: ONE },
      { tree: TREE_A, address: TWO },
      { tree: TREE_A, address: THREE },
    ]);
    expect(prover.calls).toEqual([
      { tree: toBase58(TREE_A), addresses: [THREE, TWO, THREE], minSlot: 39 },
      { tree: toBase58(TREE_B), addresses: [ONE], minSlot: 39 },
    ]);
    expect(value.map(({ address, merkleTree }) => [address, merkleTree])).toEqual([
      [toBase58(THREE), toBase58(TREE_A)],
      [toBase58(ONE), toBase58(TREE_B)],
      [toBase58(TWO), toBase58(TREE_A)],
      [toBase58(THREE), toBase58(TREE_A)],
    ]);
    expect(context).toEqual({ slot: 45 });
  });

  it('are written in the order of the request if there are many of each tree', async () => {
    const requests = Array.from({ length: 120 }, (_, at) => ({
      tree: at < 70 || at % 5 === 0 ? TREE_A : TREE_B,
      address: be32(at + 1),
    }));
    const { value } = await prove(new RecordingProver(), requests);
    expect(value.map(({ address, merkleTree }) => [address, merkleTree])).toEqual(
      requests.map(({ address, tree }) => [toBase58(address), toBase58(tree)]),
    );
  });

  it('have the slot of the tree if it is after the indexed slot', async () => {
    const { context } = await prove(new RecordingProver(), [{ tree: TREE_A, address: ONE }]);
    expect(context).toEqual({ slot: 50 });
  });

  it('have all members of the contract', async () => {
    const { value } = await prove(new RecordingProver(), [{ tree: TREE_A, address: ONE }]);
    expect(value).toEqual([
      {
        address: toBase58(ONE),
        lowerRangeAddress: '11111111111111111111111111111111',
        higherRangeAddress: '14uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofL',
        lowElementLeafIndex: 0,
        nextIndex: 1,
        merkleTree: toBase58(TREE_A),
        proof: [toBase58(be32(7)), toBase58(be32(7)), toBase58(be32(8))],
        root: toBase58(be32(100)),
        rootSeq: '18446744073709551615',
      },
    ]);
  });

  it('are not requested for address 0, which every tree contains', async () => {
    const prover = new RecordingProver();
    const requests = [
      { tree: TREE_A, address: ONE },
      { tree: TREE_A, address: ZERO_HASH },
    ];
    await expect(createProver(prover).prove(requests)).rejects.toThrow(new AddressExistsError(ZERO_HASH));
    expect(prover.calls).toEqual([]);
  });

  describe('of one address each, that are requested together', () => {
    it('need one call for each tree, and have their own slots', async () => {
      const client = new RecordingProver();
      const prover = createProver(client);
      const requests: [Pubkey, Hash][] = [
        [TREE_A, THREE],
        [TREE_B, ONE],
        [TREE_A, TWO],
      ];
      const answers = await Promise.all(
        requests.map(async ([tree, address], at) =>
          parseExactJson(textOf(await prover.prove([{ tree, address }], { requestId: `r${at}` }))),
        ),
      );
      expect(client.calls.map(({ tree, addresses }) => [tree, addresses])).toEqual([
        [toBase58(TREE_A), [THREE, TWO]],
        [toBase58(TREE_B), [ONE]],
      ]);
      expect(client.requestIds).toEqual(['r0,r2', 'r1']);
      expect(answers).toMatchObject(
        requests.map(([tree, address]) => ({
          context: { slot: tree === TREE_A ? 50 : 45 },
          value: [{ address: toBase58(address), merkleTree: toBase58(tree) }],
        })),
      );
    });

    it('fail alone if an address exists or a tree is not known', async () => {
      const prover = createProver(new RecordingProver());
      const outcomes = await Promise.allSettled(
        [
          { tree: TREE_A, address: ONE },
          { tree: TREE_A, address: EXISTING },
          { tree: UNKNOWN_TREE, address: ONE },
          { tree: TREE_A, address: TWO },
        ].map((request) => prover.prove([request])),
      );
      expect(outcomes).toMatchObject([
        { status: 'fulfilled' },
        { reason: new AddressExistsError(EXISTING) },
        { reason: new UnknownTreeError(UNKNOWN_TREE) },
        { status: 'fulfilled' },
      ]);
    });
  });
});
