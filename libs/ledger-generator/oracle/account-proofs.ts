import { type Hash, parseHash, toBase58, ZERO_HASH } from '@fresnel/domain/primitives';
import { TREE_TYPES } from '@fresnel/domain/trees';
import { type AccountProofAnswer, type AccountProofsAnswer, type AccountProofV2Answer } from './answers';
import { type AccountRecord, type LedgerRecords } from './ledger-records';

/** Proofs of accounts in the order of the request, or the first error. */
export function answerAccountProofs(
  records: LedgerRecords,
  hashes: readonly string[],
): AccountProofsAnswer<AccountProofAnswer> {
  return answerAll(records, hashes, (record) => {
    if (record.isQueued) return null;
    const path = pathOf(records, record);
    return path && { ...path, merkleTree: toBase58(record.account.tree.tree) };
  });
}

/** The same in the V2 form. An account in an output queue is proven by its index. */
export function answerAccountProofsV2(
  records: LedgerRecords,
  hashes: readonly string[],
): AccountProofsAnswer<AccountProofV2Answer> {
  return answerAll(records, hashes, (record) => {
    const path = record.isQueued ? byIndex(record) : pathOf(records, record);
    if (!path) return null;
    const { type, tree, queue } = record.account.tree;
    const treeContext = { treeType: TREE_TYPES[type], tree: toBase58(tree), queue: toBase58(queue), cpiContext: null };
    return { ...path, proveByIndex: record.isQueued, treeContext };
  });
}

/** Whether an account has a proof of the V2 form: it is in an output queue, or its leaf was not nullified. */
export function isProvable(records: LedgerRecords, record: AccountRecord): boolean {
  return record.isQueued || isLeaf(records, record);
}

function isLeaf(records: LedgerRecords, { account: { tree, leafIndex, hash } }: AccountRecord): boolean {
  return records.stateTreeOf(tree.tree).nodes.leaf(leafIndex).equals(hash);
}

function answerAll<Proof>(
  records: LedgerRecords,
  hashes: readonly string[],
  prove: (record: AccountRecord) => Proof | null,
): AccountProofsAnswer<Proof> {
  const proofs: Proof[] = [];
  for (const hash of hashes) {
    const record = records.accountOf(parseHash(hash));
    const proof = record && prove(record);
    if (!proof) return { outcome: 'refused', hash };
    proofs.push(proof);
  }
  return { outcome: 'proofs', context: { slot: records.slot }, value: proofs };
}

type PathAnswer = Omit<AccountProofAnswer, 'merkleTree'>;

/** Null if the leaf was nullified. */
function pathOf(records: LedgerRecords, record: AccountRecord): PathAnswer | null {
  if (!isLeaf(records, record)) return null;
  const { tree, leafIndex, hash } = record.account;
  const { nodes, seq } = records.stateTreeOf(tree.tree);
  return toAnswer(hash, leafIndex, nodes.proof(leafIndex), nodes.root(), seq);
}

function byIndex({ account: { hash, leafIndex } }: AccountRecord): PathAnswer {
  return toAnswer(hash, leafIndex, [], ZERO_HASH, 0n);
}

function toAnswer(hash: Hash, leafIndex: number, proof: readonly Hash[], root: Hash, rootSeq: bigint): PathAnswer {
  return { hash: toBase58(hash), leafIndex, proof: proof.map(toBase58), root: toBase58(root), rootSeq };
}
