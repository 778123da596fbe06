import { blockhashAt } from '@fresnel/testing/chain';
import { type NewAddressProof, type ProverClient, UnknownTreeError } from '@fresnel/adapters/prover-client';
import { type Hash, toBase58, toHash, toPubkey } from '@fresnel/domain/primitives';
import {
  fillAccounts,
  filledKey,
  fillHolders,
  fillSignatures,
  fillTransactions,
  insertTree,
  listUnspentAccounts,
  setIndexedSlot,
  type TestDatabase,
} from '@fresnel/testing/store';
import { packProofs } from './pack-proofs';
import { TEST_ADDRESS_TREE, UNEXPECTED_PROVER } from './test-gateway';

/** The most rows of a page, and the most addresses of a request. */
const MAX_ITEMS = 1_000;
const TREE_HEIGHT = 40;
/** In a tree of a million leaves, the paths of a thousand of them share their hashes from this level. */
const SHARED_FROM_LEVEL = 10;

/** The tree of all accounts, and their owner. */
const TREE = toPubkey(Buffer.alloc(32, 1));

/** A JSON-RPC call without its envelope. */
export interface CostlyCall {
  method: string;
  params: unknown;
}

/** Calls that make the gateway and its servers work the most. They are answered from the rows of `fillCostlyRows`. */
export const COSTLY_CALLS: Record<string, CostlyCall> = {
  'a page of 1,000 holders': { method: 'getCompressedMintTokenHolders', params: { mint: keyText(0) } },
  'a page of 1,000 signatures': { method: 'getCompressionSignaturesForOwner', params: { owner: keyText(0) } },
  'a page of 1,000 signatures of a token owner': {
    method: 'getCompressionSignaturesForTokenOwner',
    params: { owner: keyText(0) },
  },
  'a transaction': {
    method: 'getTransactionWithCompressionInfoV2',
    params: { signature: toBase58(Buffer.concat([filledKey(1), filledKey(1)])) },
  },
  'a page of 1,000 accounts': { method: 'getCompressedAccountsByOwnerV2', params: { owner: toBase58(TREE) } },
  'a filtered list of 1,000 accounts': {
    method: 'getCompressedAccountsByOwnerV2',
    params: { owner: toBase58(TREE), filters: [{ memcmp: { offset: 0, bytes: '2' } }] },
  },
  '1,000 accounts by hash': {
    method: 'getMultipleCompressedAccounts',
    params: { hashes: Array.from({ length: MAX_ITEMS }, (_, number) => keyText(number + 1)) },
  },
  'an account': { method: 'getCompressedAccount', params: { hash: keyText(1) } },
  '1,000 proofs': { method: 'getMultipleNewAddressProofs', params: Array.from({ length: MAX_ITEMS }, addressText) },
};

/** Stores what `COSTLY_CALLS` read. */
export async function fillCostlyRows({ dataSource }: TestDatabase): Promise<void> {
  const count = 2 * MAX_ITEMS;
  await insertTree(dataSource, { tree: TREE, queue: TREE, treeType: 1 });
  await fillAccounts(dataSource, TREE, count);
  await listUnspentAccounts(dataSource);
  await fillTransactions(dataSource, count);
  await fillSignatures(dataSource, 'owner_signatures', count, 1);
  await fillSignatures(dataSource, 'token_owner_signatures', count, 1);
  await fillHolders(dataSource, count, 1);
  await setIndexedSlot(dataSource, count, { blockhash: blockhashAt(count) });
}

/** Answers requests for the default tree as a remote prover does: with proofs of which each has hashes of its own. */
export const COSTLY_PROVER: ProverClient = {
  ...UNEXPECTED_PROVER,
  proveNewAddresses: (tree, addresses) => {
    if (!tree.equals(TEST_ADDRESS_TREE)) return Promise.reject(new UnknownTreeError(tree));
    const root = toHash(filledKey(0));
    return Promise.resolve({
      ...{ slot: 2 * MAX_ITEMS, blockhash: blockhashAt(2 * MAX_ITEMS), root, rootSeq: 1n },
      ...packProofs(TREE_HEIGHT, addresses.map(proofOf)),
    });
  },
};

function proofOf(address: Hash, number: number): NewAddressProof {
  return {
    address,
    lowerRangeAddress: address,
    higherRangeAddress: address,
    lowElementLeafIndex: number * 2 ** SHARED_FROM_LEVEL,
    nextIndex: number,
    siblings: (paths[number] ??= pathOf(number)),
  };
}

const paths: Hash[][] = [];

function pathOf(number: number): Hash[] {
  return Array.from({ length: TREE_HEIGHT }, (_, level) =>
    toHash(filledKey((level << 16) + (level < SHARED_FROM_LEVEL ? number : 0))),
  );
}

function keyText(number: number): string {
  return toBase58(filledKey(number));
}

/** An address below the bound of every tree. */
function addressText(_: unknown, number: number): string {
  return toBase58(Buffer.concat([Buffer.alloc(1), filledKey(number).subarray(1)]));
}
