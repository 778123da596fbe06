import { parseHash, parsePubkey, toBase58 } from '@fresnel/domain/primitives';
import { TREE_TYPES, type TreeInfo } from '@fresnel/domain/trees';
import { answerAccountProofs, answerAccountProofsV2 } from './account-proofs';
import { type AddressWithTree, answerNewAddresses } from './address-proofs';
import {
  type AccountProofAnswer,
  type AccountProofsAnswer,
  type ProofStatement,
  type ValidityProofOutcome,
  type ValidityProofAnswer,
  type ValidityProofV2Answer,
} from './answers';
import { type LedgerRecords } from './ledger-records';

/** What a validity proof is requested for. */
export interface ValidityProofRequest {
  hashes: readonly string[];
  addresses: readonly AddressWithTree[];
}

/** An account or a new address of a proof. */
interface Item {
  kind: 'account' | 'address';
  /** The account's hash, or the address. */
  leaf: string;
  /** That of the low element for an address. */
  leafIndex: number;
  root: string;
  rootIndex: number;
  tree: TreeInfo;
  /** Whether it is an account in an output queue, which the proof does not cover. */
  isByIndex: boolean;
}

/** Accounts come before addresses. Consumed accounts are proven until their leaves are nullified. */
export function answerValidityProof(
  records: LedgerRecords,
  request: ValidityProofRequest,
): ValidityProofOutcome<ValidityProofAnswer> {
  if (request.hashes.length + request.addresses.length === 0) return { outcome: 'invalid' };
  return answer(records, request, answerAccountProofs(records, request.hashes), (items) => ({
    roots: items.map(({ root }) => root),
    rootIndices: items.map(({ rootIndex }) => rootIndex),
    leafIndices: items.map(({ leafIndex }) => leafIndex),
    leaves: items.map(({ leaf }) => leaf),
    merkleTrees: items.map(({ tree }) => toBase58(tree.tree)),
  }));
}

/** Consumed accounts are refused. Accounts in an output queue are proven by their index. */
export function answerValidityProofV2(
  records: LedgerRecords,
  request: ValidityProofRequest,
): ValidityProofOutcome<ValidityProofV2Answer> {
  const { hashes } = request;
  if (new Set(hashes).size < hashes.length) return { outcome: 'invalid' };
  const isConsumed = (hash: string) => records.accountOf(parseHash(hash))?.consumption != null;
  if (hashes.some(isConsumed)) return { outcome: 'refused' };
  return answer(records, request, answerAccountProofsV2(records, hashes), (items) => ({
    accounts: ofKind(items, 'account').map(({ leaf, root, rootIndex, leafIndex, isByIndex, tree }) => ({
      hash: leaf,
      root,
      rootIndex: { rootIndex, proveByIndex: isByIndex },
      leafIndex,
      merkleContext: merkleContextOf(tree),
    })),
    addresses: ofKind(items, 'address').map(({ leaf, root, rootIndex, tree }) => ({
      address: leaf,
      root,
      rootIndex,
      merkleContext: merkleContextOf(tree),
    })),
  }));
}

type LeafProofs = AccountProofsAnswer<Omit<AccountProofAnswer, 'merkleTree'> & { proveByIndex?: boolean }>;

function answer<Value>(
  records: LedgerRecords,
  { addresses }: ValidityProofRequest,
  leaves: LeafProofs,
  present: (items: readonly Item[]) => Value,
): ValidityProofOutcome<Value> {
  const newAddresses = answerNewAddresses(records, addresses);
  if (newAddresses.outcome === 'out-of-range') return { outcome: 'invalid' };
  if (leaves.outcome === 'refused' || newAddresses.outcome !== 'proofs') return { outcome: 'refused' };
  const items = [
    ...leaves.value.map(({ hash, proveByIndex = false, ...path }) =>
      toItem('account', hash, path, treeOfAccount(records, hash), proveByIndex),
    ),
    ...newAddresses.value.map(({ address, lowElementLeafIndex: leafIndex, merkleTree, ...path }) =>
      toItem('address', address, { ...path, leafIndex }, addressTreeOf(records, merkleTree), false),
    ),
  ];
  const covered = items.filter(({ isByIndex }) => !isByIndex);
  const versions = new Set(covered.map(({ tree }) => versionOf(tree)));
  if (versions.size > 1) return { outcome: 'invalid' };
  const [version] = versions;
  const statement = covered.length === 0 ? null : toStatement(version, covered);
  return { outcome: 'proven', context: { slot: records.slot }, value: present(items), statement };
}

function toItem(
  kind: Item['kind'],
  leaf: string,
  { leafIndex, root, rootSeq }: Pick<AccountProofAnswer, 'leafIndex' | 'root' | 'rootSeq'>,
  tree: TreeInfo,
  isByIndex: boolean,
): Item {
  // The tree account stores its newest roots in a ring.
  const rootIndex = Number(rootSeq % BigInt(tree.rootHistoryCapacity));
  return { kind, leaf, leafIndex, root, rootIndex, tree, isByIndex };
}

function toStatement(version: 1 | 2, items: readonly Item[]): ProofStatement {
  return {
    version,
    accounts: ofKind(items, 'account').map(({ root, leaf }) => ({ root: parseHash(root), leaf: parseHash(leaf) })),
    addresses: ofKind(items, 'address').map(({ root, leaf }) => ({ root: parseHash(root), address: parseHash(leaf) })),
  };
}

function ofKind(items: readonly Item[], kind: Item['kind']): Item[] {
  return items.filter((item) => item.kind === kind);
}

function treeOfAccount(records: LedgerRecords, hash: string): TreeInfo {
  const record = records.accountOf(parseHash(hash));
  if (!record) throw new Error('no such account');
  return record.account.tree;
}

function addressTreeOf(records: LedgerRecords, tree: string): TreeInfo {
  const found = records.addressTrees.find(({ info }) => info.tree.equals(parsePubkey(tree)));
  if (!found) throw new Error('no such address tree');
  return found.info;
}

function versionOf({ type }: TreeInfo): 1 | 2 {
  return type === 'stateV1' || type === 'addressV1' ? 1 : 2;
}

function merkleContextOf({ type, tree, queue }: TreeInfo) {
  return {
    treeType: TREE_TYPES[type],
    tree: toBase58(tree),
    queue: toBase58(queue),
    cpiContext: null,
    nextTreeContext: null,
  };
}
