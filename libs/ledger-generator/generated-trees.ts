import { poseidon } from '@fresnel/domain/poseidon';
import { initialLeaves, initialStateOf, type TreeInfo, type TreeType, zeroSubtrees } from '@fresnel/domain/trees';
import { parsePubkey, type Pubkey, toSlot } from '@fresnel/domain/primitives';
import { MerkleTree } from './trees/merkle-tree';

/** Owner of the Light trees on mainnet. */
const TREE_OWNER = parsePubkey('24rt4RgeyjUCWGS2eF7L7gyNMuz6JWdqYpAvb1KRoHxs');

/** V2 root histories have the program's default capacity, which is short enough to wrap around in long ledgers. */
const SHAPES = {
  stateV1: { height: 26, rootHistoryCapacity: 2400 },
  addressV1: { height: 26, rootHistoryCapacity: 2400 },
  stateV2: { height: 32, rootHistoryCapacity: 60 },
  addressV2: { height: 40, rootHistoryCapacity: 120 },
} as const satisfies Record<TreeType, Pick<TreeInfo, 'height' | 'rootHistoryCapacity'>>;

/** The address tree of methods that do not name one. */
export const DEFAULT_ADDRESS_TREE = 'amt1Ayt45jfbdw5YSo7iz6WZxUmnZsQTYXy82hVwyC2';

const ADDRESS_TREE_V2 = parsePubkey('amt2kaJA14v3urZbZvnc5v2np8jqvc4Z8zDep5wbtzx');

const TREES: readonly { type: TreeType; tree: Pubkey; queue: Pubkey }[] = [
  {
    type: 'stateV1',
    tree: parsePubkey('smt1NamzXdq4AMqS2fS2F1i5KTYPZRhoHgWx38d8WsT'),
    queue: parsePubkey('nfq1NvQDJ2GEgnS8zt9prAe8rjjpAW1zFkrvZoBR148'),
  },
  {
    type: 'stateV1',
    tree: parsePubkey('smt2rJAFdyJJupwMKAqTNAJwvjhmiZ4JYGZmbVRw1Ho'),
    queue: parsePubkey('nfq2hgS7NYemXsFaFUCe3EMXSDSfnZnAe27jC6aPP1X'),
  },
  {
    type: 'stateV2',
    tree: parsePubkey('bmt1LryLZUMmF7ZtqESaw7wifBXLfXHQYoE4GAmrahU'),
    queue: parsePubkey('oq1na8gojfdUhsfCpyjNt6h4JaDWtHf1yQj4koBWfto'),
  },
  {
    type: 'stateV2',
    tree: parsePubkey('bmt2UxoBxB9xWev4BkLvkGdapsz6sZGkzViPNph7VFi'),
    queue: parsePubkey('oq2UkeMsJLfXt2QHzim242SUi3nvjJs8Pn7Eac9H9vg'),
  },
  {
    type: 'addressV1',
    tree: parsePubkey(DEFAULT_ADDRESS_TREE),
    queue: parsePubkey('aq1S9z4reTSQAdgWHGD2zDaS39sjGrAxbR31vxJ2F4F'),
  },
  { type: 'addressV2', tree: ADDRESS_TREE_V2, queue: ADDRESS_TREE_V2 },
];

/** All trees of a generated ledger in their initial state, observed at slot 0. */
export function generatedTrees(): TreeInfo[] {
  return TREES.map(({ type, tree, queue }) => ({
    tree,
    queue,
    type,
    ...SHAPES[type],
    owner: TREE_OWNER,
    observed: initialObservation(type),
  }));
}

function initialObservation(type: TreeType): TreeInfo['observed'] {
  const slot = toSlot(0);
  const { height } = SHAPES[type];
  if (type === 'stateV1' || type === 'stateV2') {
    return { slot, seq: 0n, nextIndex: 0n, queueEnd: 0n, inputQueueEnd: 0n, root: zeroSubtrees(poseidon)[height] };
  }
  const { seq, nextIndex } = initialStateOf(type);
  const nodes = new MerkleTree(height);
  nodes.write(initialLeaves(type, poseidon));
  return { slot, seq, nextIndex: BigInt(nextIndex), queueEnd: 0n, inputQueueEnd: 0n, root: nodes.root() };
}
