import { AddressExistsError, type ProverClient } from '@fresnel/adapters/prover-client';
import {
  be32,
  type Hash,
  type Pubkey,
  type Slot,
  toBase58,
  toPubkey,
  toSlot,
  ZERO_HASH,
} from '@fresnel/domain/primitives';
import { proveNewAddresses } from './prove-new-addresses';

const TREE_A = toPubkey(Buffer.alloc(32, 0xa));
const TREE_B = toPubkey(Buffer.alloc(32, 0xb));
const findMinSlot = () => Promise.resolve(toSlot(39));
const [ONE, TWO, THREE] = [be32(1), be32(2), be32(3)];

/** Answers with one proof an address, and remembers what it was asked. */
class RecordingProver implements ProverClient {
  readonly asked: { tree: string; addresses: readonly Hash[]; minSlot: Slot }[] = [];

  proveNewAddresses(tree: Pubkey, addresses: readonly Hash[], minSlot: Slot) {
    this.asked.push({ tree: toBase58(tree), addresses, minSlot });
    const isA = tree.equals(TREE_A);
    return Promise.resolve({
      slot: isA ? 50 : 40,
      root: be32(isA ? 100 : 200),
      rootSeq: 2n ** 64n - 1n,
      items: addresses.map((address) => ({
        address,
        lowerRangeAddress: ZERO_HASH,
        higherRangeAddress: be32(2n ** 248n - 1n),
        lowElementLeafIndex: 0,
        nextIndex: 1,
        proof: [be32(7), be32(7), be32(8)],
      })),
    });
  }
}

describe('proofs of new addresses', () => {
  it('are asked for once a tree and answered in the order of the request, duplicates included', async () => {
    const prover = new RecordingProver();
    const { context, value } = await proveNewAddresses(
      [
        { tree: TREE_A, address: THREE },
        { tree: TREE_B, address: ONE },
        { tree: TREE_A, address: TWO },
        { tree: TREE_A, address: THREE },
      ],
      prover,
      findMinSlot,
    );
    expect(prover.asked).toEqual([
      { tree: toBase58(TREE_A), addresses: [THREE, TWO, THREE], minSlot: 39 },
      { tree: toBase58(TREE_B), addresses: [ONE], minSlot: 39 },
    ]);
    expect(value.map(({ address, merkleTree }) => [address, merkleTree])).toEqual([
      [toBase58(THREE), toBase58(TREE_A)],
      [toBase58(ONE), toBase58(TREE_B)],
      [toBase58(TWO), toBase58(TREE_A)],
      [toBase58(THREE), toBase58(TREE_A)],
    ]);
    expect(context).toEqual({ slot: 40 });
  });

  it('have all the members of a proof', async () => {
    const { value } = await proveNewAddresses([{ tree: TREE_A, address: ONE }], new RecordingProver(), findMinSlot);
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
        rootSeq: 2n ** 64n - 1n,
      },
    ]);
  });

  it('are refused for address 0, which every tree holds, without asking', async () => {
    const prover = new RecordingProver();
    const requests = [
      { tree: TREE_A, address: ONE },
      { tree: TREE_A, address: ZERO_HASH },
    ];
    await expect(proveNewAddresses(requests, prover, findMinSlot)).rejects.toThrow(new AddressExistsError(ZERO_HASH));
    expect(prover.asked).toEqual([]);
  });
});
