import { type Hash, parsePubkey, toBase58, ZERO_HASH } from '@fresnel/domain/primitives';
import { poseidon } from '@fresnel/domain/poseidon';
import { hashElement } from '@fresnel/domain/trees';
import { type AddressTree } from '../trees/address-tree';
import { type MerkleTree } from '../trees/merkle-tree';
import { StateTreeV2 } from '../trees/state-tree-v2';
import {
  type AddressQueueAnswer,
  type QueueElementsAnswer,
  type QueueNodeAnswer,
  type StateQueueAnswer,
} from './answers';
import { type LedgerRecords } from './ledger-records';

/** A request for entries of queues. */
export interface QueueElementsRequest {
  tree: string;
  outputQueue?: QueueRequest;
  inputQueue?: QueueRequest;
  addressQueue?: QueueRequest;
}

export interface QueueRequest {
  limit: number;
  startIndex?: number;
  zkpBatchSize?: number;
}

/** An entry of a queue of a state tree. */
interface Entry {
  /** Its position in the queue. */
  position: number;
  leafIndex: number;
}

const DEFAULT_BATCH = 500;

/** Entries of the queues of a tree; null if the request is refused. */
export function answerQueueElements(records: LedgerRecords, request: QueueElementsRequest): QueueElementsAnswer | null {
  const tree = parsePubkey(request.tree);
  const context = { slot: records.slot };
  const addressTree = records.addressTrees.find(({ info }) => info.tree.equals(tree));
  if (addressTree) {
    const isRefused = addressTree.info.type === 'addressV1' || request.outputQueue || request.inputQueue;
    if (isRefused || !request.addressQueue) return null;
    return { context, addressQueue: answerAddresses(addressTree, request.addressQueue) };
  }
  const stateTree = records.hasStateTree(tree) ? records.stateTreeOf(tree) : null;
  if (!(stateTree instanceof StateTreeV2) || request.addressQueue) return null;
  const outputs = select(stateTree.queuedOutputs, request.outputQueue);
  const inputs = select(stateTree.queuedInputs, request.inputQueue);
  if (!outputs || !inputs) return null;
  if (outputs.length + inputs.length === 0) return { context };
  return { context, stateQueue: answerState(records, stateTree, request, outputs, inputs) };
}

function answerState(
  records: LedgerRecords,
  tree: StateTreeV2,
  { outputQueue, inputQueue }: QueueElementsRequest,
  outputs: readonly Entry[],
  inputs: readonly Entry[],
): StateQueueAnswer {
  const { nodes, seq } = tree;
  const shared = (entries: readonly Entry[]) => ({
    leafIndices: entries.map(({ leafIndex }) => leafIndex),
    accountHashes: entries.map(({ leafIndex }) => toBase58(tree.output(leafIndex))),
    leaves: entries.map(({ leafIndex }) => toBase58(nodes.leaf(leafIndex))),
    firstQueueIndex: entries.at(0)?.position ?? 0,
  });
  const consumptions = inputs.map(({ leafIndex }) => records.accountOf(tree.output(leafIndex))?.consumption);
  const nullifiers = consumptions.map((consumption) => consumption?.nullifier ?? ZERO_HASH);
  const hashes = outputs.map(({ leafIndex }) => tree.output(leafIndex));
  return {
    nodes: listNodes(
      nodes,
      [...outputs, ...inputs].map(({ leafIndex }) => leafIndex),
    ),
    initialRoot: toBase58(nodes.root()),
    rootSeq: seq,
    ...(outputQueue && {
      outputQueue: {
        ...shared(outputs),
        nextIndex: outputs.at(0)?.position ?? 0,
        leavesHashChains: chains(hashes, outputQueue),
      },
    }),
    ...(inputQueue && {
      inputQueue: {
        ...shared(inputs),
        txHashes: consumptions.map((consumption) => toBase58(consumption?.txHash ?? ZERO_HASH)),
        nullifiers: nullifiers.map(toBase58),
        leavesHashChains: chains(nullifiers, inputQueue),
      },
    }),
  };
}

function answerAddresses(tree: AddressTree, request: QueueRequest): AddressQueueAnswer {
  const { limit, startIndex = 0 } = request;
  const start = tree.nextIndex - 1;
  const queued = tree.queue.map((address, at) => ({ address, position: start + at }));
  const asked = queued.filter(({ position }) => position >= startIndex).slice(0, limit);
  const lows = asked.map(({ address }) => tree.lowElementOf(address));
  const leaves = lows.map(({ index }) => index);
  for (const low of lows) {
    if (!tree.nodes.leaf(low.index).equals(hashElement('addressV2', low, poseidon))) throw new Error('not a leaf');
  }
  const isEmpty = asked.length === 0;
  return {
    addresses: asked.map(({ address }) => toBase58(address)),
    queueIndices: asked.map(({ position }) => position),
    ...(isEmpty ? {} : { nodes: listNodes(tree.nodes, leaves) }),
    lowElementIndices: leaves,
    lowElementValues: lows.map(({ value }) => toBase58(value)),
    lowElementNextIndices: lows.map(({ nextIndex }) => nextIndex),
    lowElementNextValues: lows.map(({ nextValue }) => toBase58(nextValue)),
    leavesHashChains: chains(
      asked.map(({ address }) => address),
      request,
    ),
    initialRoot: toBase58(isEmpty ? ZERO_HASH : tree.nodes.root()),
    startIndex: tree.nextIndex,
    subtrees: frontier(tree),
    rootSeq: isEmpty ? 0n : tree.seq,
  };
}

/** Null if the queue starts after the requested position. */
function select(queue: readonly Entry[], request: QueueRequest | undefined): Entry[] | null {
  if (!request) return [];
  const { limit, startIndex } = request;
  const found = queue.filter(({ position }) => position >= (startIndex ?? 0)).slice(0, limit);
  if (startIndex !== undefined && found.length > 0 && found[0].position > startIndex) return null;
  return found.slice(0, found.length - (found.length % batchOf(request)));
}

function batchOf({ zkpBatchSize = 0 }: QueueRequest): number {
  return zkpBatchSize === 0 ? DEFAULT_BATCH : zkpBatchSize;
}

function chains(values: readonly Hash[], request: QueueRequest): string[] {
  const size = batchOf(request);
  const count = Math.floor(values.length / size);
  return Array.from({ length: count }, (_, batch) => {
    const [first, ...rest] = values.slice(batch * size, (batch + 1) * size);
    return toBase58(rest.reduce((hash, value) => poseidon([hash, value]), first));
  });
}

/** Walks up the path of each leaf. */
function listNodes(tree: MerkleTree, leaves: readonly number[]): QueueNodeAnswer[] {
  const found = new Map<bigint, Hash>();
  for (const leafIndex of leaves) {
    let [hash, index] = [tree.leaf(leafIndex), leafIndex];
    found.set(codeOf(0, index), hash);
    for (const [level, sibling] of tree.proof(leafIndex).entries()) {
      const isLeft = index % 2 === 0;
      found.set(codeOf(level, isLeft ? index + 1 : index - 1), sibling);
      index = Math.floor(index / 2);
      hash = found.get(codeOf(level + 1, index)) ?? poseidon(isLeft ? [hash, sibling] : [sibling, hash]);
      found.set(codeOf(level + 1, index), hash);
    }
  }
  const sorted = [...found].sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([index, hash]) => ({ index, hash: toBase58(hash) }));
}

function codeOf(level: number, index: number): bigint {
  return BigInt(level) * 2n ** 56n + BigInt(index);
}

/** The rightmost left node of each level, found on the path of the last leaf. */
function frontier({ nodes, nextIndex }: AddressTree): string[] {
  let [hash, index] = [nodes.leaf(nextIndex - 1), nextIndex - 1];
  return nodes.proof(nextIndex - 1).map((sibling) => {
    const [left, right] = index % 2 === 0 ? [hash, sibling] : [sibling, hash];
    index = Math.floor(index / 2);
    hash = poseidon([left, right]);
    return toBase58(left);
  });
}
