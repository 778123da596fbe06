import { poseidon } from '@fresnel/domain/poseidon';
import { be32, type Hash, parsePubkey, toBase58, toHash, toSlot } from '@fresnel/domain/primitives';
import { hashElement, MAX_ADDRESS, type TreeInfo } from '@fresnel/domain/trees';
import { generatedTrees } from '@fresnel/ledger-generator';
import { encodeTreeAccount } from '@fresnel/testing/chain';
import { type AskIndex } from './ask-index';
import { NodeRoots } from './node-roots';
import { ProofChecker } from './proof-checker';

const [V1] = generatedTrees();
const ADDRESS_TREE = generatedTrees().find(({ type }) => type === 'addressV2') as TreeInfo;
const [LEAF, SIBLING] = [be32(5), be32(6)];
const HASH = toBase58(LEAF);
const ROOT = poseidon([LEAF, SIBLING]);
const ASKING = { pauses: { firstMs: 0, longestMs: 0 }, signal: new AbortController().signal };
const PROGRAM = parsePubkey('compr6CUsB5m2jS4Y3831ztGSTnDpnKJTKS95d64XVq');

/** A node whose account of the V1 tree has one root, at sequence number 9. */
function nodeWith(info: TreeInfo, ...observed: { root: Hash; seq: bigint }[]): NodeRoots {
  const rest = [...observed];
  return new NodeRoots(() => {
    const state = rest.length > 1 ? rest.splice(0, 1)[0] : rest[0];
    const data = encodeTreeAccount({ ...info, observed: { ...info.observed, ...state } });
    return Promise.resolve({ data, slot: toSlot(50) });
  });
}

const proof = (members: object = {}) => ({
  hash: HASH,
  leafIndex: 2,
  proof: [toBase58(SIBLING)],
  root: toBase58(ROOT),
  rootSeq: 9,
  proveByIndex: false,
  treeContext: { treeType: 1, tree: toBase58(V1.tree) },
  ...members,
});

/** An index with one account, and its proof. */
function indexWith(value: unknown, { isUnspent = true } = {}): AskIndex {
  return (method) => {
    if (method === 'getCompressedAccountV2') {
      return Promise.resolve({ result: { context: { slot: 40 }, value: isUnspent ? { hash: HASH } : null } });
    }
    const isFailure = typeof value === 'object' && value !== null && 'failure' in value;
    return Promise.resolve(isFailure ? (value as { failure: string }) : { result: { context: { slot: 40 }, value } });
  };
}

const check = (ask: AskIndex, roots: NodeRoots | null = nodeWith(V1, { root: ROOT, seq: 9n })) =>
  new ProofChecker(poseidon, roots, ASKING).checkAccount('index', ask, HASH);

describe('the check of account proofs', () => {
  it('accepts a path to a root of the chain', async () => {
    const even = { leafIndex: 0 };
    expect(await check(indexWith(proof(even)))).toEqual({ result: 'equal' });
  });

  it('accepts a proof by index, with the hash of the account or with its leaf, which is empty until a batch', async () => {
    const empty = toBase58(be32(0));
    const checkHash = (hash: string, members: object) => check(indexWith(proof({ ...members, hash })));
    const ofQueue = { proveByIndex: true, proof: [], root: empty };
    for (const hash of [HASH, empty]) expect(await checkHash(hash, ofQueue)).toEqual({ result: 'equal' });
    const differs = { result: 'differs', at: '.value.hash' };
    expect(await checkHash(toBase58(SIBLING), ofQueue)).toMatchObject(differs);
    expect(await checkHash(empty, {})).toMatchObject(differs);
  });

  it('finds a path that does not hash up to its root, such as that of another leaf', async () => {
    expect(await check(indexWith(proof({ leafIndex: 1 })))).toMatchObject({
      result: 'differs',
      at: '.value.root',
      answers: [
        { by: 'index', slot: 40, answer: toBase58(ROOT) },
        { by: 'hashing', answer: toBase58(poseidon([SIBLING, LEAF])) },
      ],
    });
    expect(await check(indexWith(proof({ hash: toBase58(SIBLING) })))).toMatchObject({
      result: 'differs',
      at: '.value.hash',
    });
  });

  it('finds a changed leaf: the path is right, and its root was never one of the chain', async () => {
    const onChain = nodeWith(V1, { root: poseidon([LEAF, LEAF]), seq: 9n });
    expect(await check(indexWith(proof({ leafIndex: 0 })), onChain)).toMatchObject({
      result: 'differs',
      answers: [
        { by: 'index', slot: 40, answer: toBase58(ROOT) },
        { by: 'node', slot: 50, answer: 'another root at sequence number 9' },
      ],
    });
  });

  it('finds an unspent account whose proof the index refuses, because its leaf has another value', async () => {
    const refused = { failure: 'error -32000: A leaf was nullified: read the accounts again' };
    expect(await check(indexWith(refused))).toMatchObject({
      result: 'differs',
      answers: [{ by: 'index', answer: refused.failure }, { by: 'hashing' }],
    });
    expect(await check(indexWith({ failure: 'HTTP 502' }))).toEqual({ result: 'not-checked', reason: 'HTTP 502' });
  });

  it('asks for no proof of a spent account', async () => {
    expect(await check(indexWith(proof(), { isUnspent: false }))).toBeNull();
  });

  it('waits for a node that is behind', async () => {
    const [old, current] = [
      { root: LEAF, seq: 8n },
      { root: ROOT, seq: 9n },
    ];
    const ask = indexWith(proof({ leafIndex: 0 }));
    expect(await check(ask, nodeWith(V1, old, old, current))).toEqual({ result: 'equal' });
    expect(await check(ask, nodeWith(V1, old))).toEqual({
      result: 'not-checked',
      reason: 'the root of sequence number 9 on the chain: behind',
    });
  });

  it('accepts an account in an output queue, which has no path, and verifies by hashing alone without a node', async () => {
    expect(await check(indexWith(proof({ proveByIndex: true, proof: [] })))).toEqual({ result: 'equal' });
    expect(await check(indexWith(proof({ leafIndex: 0 })), null)).toEqual({ result: 'equal' });
  });

  it('names an answer that cannot be read', async () => {
    expect(await check(indexWith(proof({ leafIndex: 2 })))).toMatchObject({
      result: 'not-checked',
      reason: 'leaf 2 of 1 levels',
    });
    expect(await check(indexWith(null))).toMatchObject({ result: 'not-checked', reason: 'expected an object' });
  });
});

describe('the check of proofs of new addresses', () => {
  const address = be32(7n);
  const low = { index: 0, value: be32(3n), nextIndex: 1, nextValue: MAX_ADDRESS };
  const leaf = hashElement('addressV2', low, poseidon);
  const root = poseidon([leaf, SIBLING]);
  const item = (members: object = {}) => ({
    address: toBase58(address),
    lowerRangeAddress: toBase58(low.value),
    higherRangeAddress: toBase58(low.nextValue),
    lowElementLeafIndex: 0,
    nextIndex: 1,
    merkleTree: toBase58(ADDRESS_TREE.tree),
    proof: [toBase58(SIBLING)],
    root: toBase58(root),
    rootSeq: 9,
    ...members,
  });
  const checkNew = (value: unknown) =>
    new ProofChecker(poseidon, nodeWith(ADDRESS_TREE, { root, seq: 9n }), ASKING).checkNewAddress(
      'against',
      indexWith([value]),
      { address: toHash(address), tree: ADDRESS_TREE.tree, type: 'addressV2' },
    );

  it('accepts a range around the address, in a tree of the chain', async () => {
    expect(await checkNew(item())).toEqual({ result: 'equal' });
  });

  it('finds a range beside the address, and a path to another root', async () => {
    expect(await checkNew(item({ lowerRangeAddress: toBase58(address) }))).toMatchObject({
      result: 'differs',
      at: '.value[0]',
    });
    expect(await checkNew(item({ proof: [toBase58(PROGRAM)] }))).toMatchObject({ result: 'differs' });
    expect(await checkNew(item({ lowElementLeafIndex: 1 }))).toMatchObject({
      result: 'differs',
      at: '.value[0].root',
      answers: [{ by: 'against' }, { by: 'hashing' }],
    });
  });
});
