import { type Static, Type } from 'typebox';
import { closedObject } from './closed-object';
import { describedU64, HashText, PubkeyText, SmallInteger, U64 } from './scalars';

/** Maximum number of entries of each queue in one request. */
export const MAX_QUEUE_ELEMENTS = 30_000;

/** Entries of a zkp batch if a request does not say it. */
export const DEFAULT_ZKP_BATCH_SIZE = 500;

/** Larger than any batch of the programs. */
export const MAX_ZKP_BATCH_SIZE = 65_535;

const chains = Type.Array(HashText, {
  description: 'The hash chain of each whole zkp batch: H(H(a, b), c) and so on of its values.',
});
const leaves = Type.Array(HashText, { description: 'The current values of the leaves; zero bytes: not appended yet.' });
const leafIndices = Type.Array(SmallInteger);
const firstQueueIndex = describedU64('Queue index of the first entry; 0 without entries.');

export const QueueNode = closedObject(
  {
    index: describedU64(
      'level * 2^56 + position from the left; leaves have level 0. It needs a JSON parser that keeps all digits.',
    ),
    hash: HashText,
  },
  { title: 'QueueNode', description: 'A node of the tree.' },
);

export const OutputQueue = closedObject(
  {
    leafIndices,
    accountHashes: Type.Array(HashText),
    leaves,
    firstQueueIndex,
    nextIndex: describedU64('The same as firstQueueIndex.'),
    leavesHashChains: chains,
  },
  { title: 'OutputQueue', description: 'Accounts that are not appended yet, by leaf index.' },
);

export const InputQueue = closedObject(
  {
    leafIndices,
    accountHashes: Type.Array(HashText),
    leaves,
    txHashes: Type.Array(HashText),
    nullifiers: Type.Array(HashText),
    firstQueueIndex,
    leavesHashChains: chains,
  },
  { title: 'InputQueue', description: 'Consumed accounts that are not nullified yet, by queue index.' },
);

const nodes = Type.Optional(Type.Array(QueueNode, { description: 'By index. Absent without entries.' }));

export const StateQueue = closedObject(
  {
    nodes,
    initialRoot: HashText,
    rootSeq: U64,
    outputQueue: Type.Optional(OutputQueue),
    inputQueue: Type.Optional(InputQueue),
  },
  {
    title: 'StateQueue',
    description:
      'The requested queues of a state tree. The nodes are the leaves of all entries, the siblings on their paths, and the paths up to the root.',
  },
);

export const AddressQueue = closedObject(
  {
    addresses: Type.Array(PubkeyText),
    queueIndices: Type.Array(U64),
    nodes,
    lowElementIndices: Type.Array(SmallInteger),
    lowElementValues: Type.Array(HashText),
    lowElementNextIndices: Type.Array(SmallInteger),
    lowElementNextValues: Type.Array(HashText),
    leavesHashChains: chains,
    initialRoot: HashText,
    startIndex: describedU64('Leaf index of the next appended address.'),
    subtrees: Type.Array(HashText, {
      description: 'The rightmost left node of each level, leaf level first, also without entries.',
    }),
    rootSeq: describedU64('0 without entries.'),
  },
  {
    title: 'AddressQueue',
    description:
      'The queue of an address tree, by queue index. The nodes are the leaves of the low elements, their paths up to the root, and the siblings on these. Without entries, initialRoot is zero bytes.',
  },
);

export type QueueNode = Static<typeof QueueNode>;

export const QueueLeaf = closedObject(
  { hash: HashText, queueIndex: U64, leafIndex: SmallInteger },
  {
    title: 'QueueLeaf',
    description: 'An account in an input queue: its hash, and the leaf that a batch will nullify.',
  },
);

export type QueueLeaf = Static<typeof QueueLeaf>;
