import { hashAccount } from '@fresnel/domain/state';
import {
  asFields,
  asList,
  asNumber,
  asText,
  type Hash,
  type Hasher,
  MalformedTextError,
  messageOf,
  parseHash,
  parsePubkey,
  type Pubkey,
  toBase58,
  u64ToLittleEndian,
  ZERO_HASH,
} from '@fresnel/domain/primitives';
import { type AddressTreeType, hashElement, MAX_ADDRESS, requireTreeType } from '@fresnel/domain/trees';
import { contradicted, type Fault, type Outcome } from './verification';

const EMPTY_LEAF = toBase58(ZERO_HASH);

/** The root that a proof hashes up to. */
export interface ProvenRoot {
  tree: Pubkey;
  root: Hash;
  seq: bigint;
}

export type ProofCheck = { fault: Fault } | { root: ProvenRoot | null };

/**
 * Computes the hash of an account from its members, and compares it with the hash that it has. Data are covered by their hash only.
 *
 * @param account in the V2 form, in the tree in which it was created: a leaf that migrates to another tree keeps its hash
 * @param slot of the answer
 */
export function checkAccountHash(account: Record<string, unknown>, slot: number, hasher: Hasher): Outcome {
  try {
    const [said, expected] = [asText(account.hash), toBase58(hashOf(account, hasher))];
    return said === expected ? { result: 'equal' } : contradicted('index', slot, { at: '.hash', said, expected });
  } catch (error) {
    return { result: 'not-checked', reason: `an account that cannot be read: ${messageOf(error)}` };
  }
}

function hashOf({ owner, lamports, address, data, leafIndex, merkleContext }: Record<string, unknown>, hasher: Hasher) {
  const { tree, treeType } = asFields(merkleContext);
  const body = {
    owner: parsePubkey(asText(owner)),
    lamports: toU64(lamports),
    address: address === null ? null : parseHash(asText(address)),
    data: data === null ? null : readData(data),
  };
  const type = requireTreeType(asNumber(treeType));
  return hashAccount(body, asNumber(leafIndex), parsePubkey(asText(tree)), type, hasher);
}

function readData(value: unknown) {
  const { discriminator, data, dataHash } = asFields(value);
  return {
    discriminator: u64ToLittleEndian(toU64(discriminator)),
    bytes: Buffer.from(asText(data), 'base64'),
    dataHash: parseHash(asText(dataHash)),
  };
}

/** Numbers that JavaScript would round are bigints already. */
function toU64(value: unknown): bigint {
  return typeof value === 'bigint' ? value : BigInt(asNumber(value));
}

/**
 * Verifies a value of `getCompressedAccountProofV2` by hashing.
 *
 * @returns the root that it proves; null for an account in an output queue, which has no path. Photon gives the leaf of such an account
 *   as its hash, and that is empty
 * @throws MalformedTextError
 */
export function checkAccountProof(value: unknown, hash: string, hasher: Hasher): ProofCheck {
  const fields = asFields(value);
  const isEmptyLeaf = fields.proveByIndex === true && fields.hash === EMPTY_LEAF;
  if (fields.hash !== hash && !isEmptyLeaf)
    return { fault: { at: '.value.hash', said: asText(fields.hash), expected: hash } };
  if (fields.proveByIndex === true) return { root: null };
  const tree = parsePubkey(asText(asFields(fields.treeContext).tree));
  return checkPath(fields, { tree, leaf: parseHash(hash), leafIndex: asNumber(fields.leafIndex), at: '' }, hasher);
}

/**
 * Verifies an item of `getMultipleNewAddressProofsV2` by hashing.
 *
 * @throws MalformedTextError
 */
export function checkNewAddressProof(item: unknown, address: Hash, type: AddressTreeType, hasher: Hasher): ProofCheck {
  const fields = asFields(item);
  const value = parseHash(asText(fields.lowerRangeAddress));
  const nextValue = parseHash(asText(fields.higherRangeAddress));
  const isInRange = value.compare(address) < 0 && address.compare(nextValue) < 0 && nextValue.compare(MAX_ADDRESS) <= 0;
  if (fields.address !== toBase58(address) || !isInRange) {
    const said = `${asText(fields.lowerRangeAddress)} to ${asText(fields.higherRangeAddress)}`;
    return { fault: { at: '.value[0]', said, expected: `a range around ${toBase58(address)}` } };
  }
  const index = asNumber(fields.lowElementLeafIndex);
  const low = { index, value, nextIndex: asNumber(fields.nextIndex), nextValue };
  const tree = parsePubkey(asText(fields.merkleTree));
  return checkPath(fields, { tree, leaf: hashElement(type, low, hasher), leafIndex: index, at: '[0]' }, hasher);
}

function checkPath(
  fields: Record<string, unknown>,
  { tree, leaf, leafIndex, at }: { tree: Pubkey; leaf: Hash; leafIndex: number; at: string },
  hasher: Hasher,
): ProofCheck {
  const siblings = asList(fields.proof).map((sibling) => parseHash(asText(sibling)));
  const root = parseHash(asText(fields.root));
  const computed = foldPath(leaf, leafIndex, siblings, hasher);
  if (!computed.equals(root)) {
    return { fault: { at: `.value${at}.root`, said: toBase58(root), expected: toBase58(computed) } };
  }
  return { root: { tree, root, seq: toU64(fields.rootSeq) } };
}

function foldPath(leaf: Hash, leafIndex: number, siblings: readonly Hash[], hasher: Hasher): Hash {
  if (leafIndex >= 2 ** siblings.length) throw new MalformedTextError(`leaf ${leafIndex} of ${siblings.length} levels`);
  let [node, index] = [leaf, leafIndex];
  for (const sibling of siblings) {
    node = hasher(index % 2 === 0 ? [node, sibling] : [sibling, node]);
    index = Math.floor(index / 2);
  }
  return node;
}
