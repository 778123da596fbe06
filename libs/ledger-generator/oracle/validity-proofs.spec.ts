import { be32, toBase58 } from '@fresnel/domain/primitives';
import { generateLedger } from '../generate-ledger';
import { DEFAULT_ADDRESS_TREE } from '../generated-trees';
import { type AccountProofV2Answer } from './answers';
import { LedgerOracle } from './ledger-oracle';

const V2_ADDRESS_TREE = 'amt2kaJA14v3urZbZvnc5v2np8jqvc4Z8zDep5wbtzx';
const oracle = new LedgerOracle();
// Batches come so often that a root history of 60 entries wraps around.
const weights = { createAccounts: 40, transferLamports: 200, appendOutputs: 60, nullifyInputs: 60 };
for (const block of generateLedger({ seed: 5, slots: 240, weights })) oracle.apply(block);

const NEW = toBase58(be32(1n << 200n));
const provable = oracle.provableAccounts().flatMap((hash): AccountProofV2Answer[] => {
  const answer = oracle.getMultipleCompressedAccountProofsV2([hash]);
  return answer.outcome === 'proofs' ? answer.value : [];
});
const live = new Set(oracle.liveAccounts());
const inTrees = (treeType: number) =>
  provable.filter((proof) => proof.treeContext.treeType === treeType && !proof.proveByIndex && live.has(proof.hash));
const [v1, v2] = [inTrees(1)[0], inTrees(3)[0]];
const queued = provable.filter(({ proveByIndex, hash }) => proveByIndex && live.has(hash))[0];

describe('validity proofs', () => {
  it('list accounts before addresses, each with its root and where the chain stores that', () => {
    const addresses = [{ address: NEW, tree: DEFAULT_ADDRESS_TREE }];
    const answer = oracle.getValidityProof({ hashes: [v1.hash], addresses });
    const newAddress = oracle.getMultipleNewAddressProofs([NEW]);
    if (answer.outcome !== 'proven' || newAddress.outcome !== 'proofs') throw new Error(answer.outcome);
    const [{ root, rootSeq, lowElementLeafIndex }] = newAddress.value;
    expect(answer.value).toEqual({
      roots: [v1.root, root],
      rootIndices: [Number(v1.rootSeq % 2400n), Number(rootSeq % 2400n)],
      leafIndices: [v1.leafIndex, lowElementLeafIndex],
      leaves: [v1.hash, NEW],
      merkleTrees: [v1.treeContext.tree, DEFAULT_ADDRESS_TREE],
    });
    expect(answer.statement).toMatchObject({ version: 1, accounts: [{}], addresses: [{}] });
  });

  it('have root indices modulo the length of the root history of each tree', () => {
    const later = inTrees(3).find(({ rootSeq }) => rootSeq > 60n);
    if (!later) throw new Error('no root history has wrapped around');
    const answer = oracle.getValidityProofV2({
      hashes: [later.hash],
      addresses: [{ address: NEW, tree: V2_ADDRESS_TREE }],
    });
    if (answer.outcome !== 'proven') throw new Error(answer.outcome);
    const { accounts, addresses } = answer.value;
    expect(accounts[0].rootIndex).toEqual({ rootIndex: Number(later.rootSeq) - 60, proveByIndex: false });
    expect(addresses[0].merkleContext).toMatchObject({ tree: V2_ADDRESS_TREE, queue: V2_ADDRESS_TREE, treeType: 4 });
  });

  it('do not cover accounts in an output queue', () => {
    const answer = oracle.getValidityProofV2({ hashes: [queued.hash, v1.hash], addresses: [] });
    if (answer.outcome !== 'proven') throw new Error(answer.outcome);
    const zero = toBase58(be32(0));
    expect(answer.value.accounts[0]).toMatchObject({ root: zero, rootIndex: { rootIndex: 0, proveByIndex: true } });
    expect(answer.statement).toMatchObject({ version: 1, accounts: [{}], addresses: [] });
    const alone = oracle.getValidityProofV2({ hashes: [queued.hash], addresses: [] });
    expect(alone).toMatchObject({ outcome: 'proven', statement: null });
    expect(oracle.getValidityProof({ hashes: [queued.hash], addresses: [] })).toEqual({ outcome: 'refused' });
  });

  it('of consumed accounts exist in V1 until the leaf is nullified', () => {
    const consumed = provable.find(({ hash, proveByIndex }) => !proveByIndex && !live.has(hash));
    if (!consumed) throw new Error('no leaf waits for its nullification');
    const request = { hashes: [consumed.hash], addresses: [] };
    expect(oracle.getValidityProof(request).outcome).toBe('proven');
    expect(oracle.getValidityProofV2(request)).toEqual({ outcome: 'refused' });
  });

  it('are refused for unknown accounts, used addresses and unknown trees', () => {
    const [used] = oracle.insertedAddresses();
    for (const request of [
      { hashes: [NEW], addresses: [] },
      { hashes: [], addresses: [used] },
      { hashes: [], addresses: [{ address: NEW, tree: NEW }] },
    ]) {
      expect(oracle.getValidityProof(request)).toEqual({ outcome: 'refused' });
      expect(oracle.getValidityProofV2(request)).toEqual({ outcome: 'refused' });
    }
  });

  it('are invalid for trees of both versions, and for nothing in V1', () => {
    for (const request of [
      { hashes: [v1.hash, v2.hash], addresses: [] },
      { hashes: [v1.hash], addresses: [{ address: NEW, tree: V2_ADDRESS_TREE }] },
      { hashes: [], addresses: [{ address: toBase58(be32(2n ** 248n - 1n)), tree: V2_ADDRESS_TREE }] },
    ]) {
      expect(oracle.getValidityProof(request)).toEqual({ outcome: 'invalid' });
      expect(oracle.getValidityProofV2(request)).toEqual({ outcome: 'invalid' });
    }
    const nothing = { hashes: [], addresses: [] };
    expect(oracle.getValidityProof(nothing)).toEqual({ outcome: 'invalid' });
    expect(oracle.getValidityProofV2(nothing)).toMatchObject({ value: { accounts: [], addresses: [] } });
    expect(oracle.getValidityProofV2({ hashes: [v1.hash, v1.hash], addresses: [] })).toEqual({ outcome: 'invalid' });
  });
});
