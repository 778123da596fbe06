import {
  type AddressElement,
  type InputElement,
  NODE_BYTES,
  type OutputElement,
  ProverUnavailableError,
  type QueueRange,
  type QueueElements,
  type QueueElementsRequest,
  type QueueRequest,
  QueueStartPassedError,
  TreeNotServableError,
} from '@fresnel/adapters/prover-client';
import {
  type ProofStore,
  type QueuedElements,
  type QueuePart,
  type QueueSelection,
  TreeMovedError,
} from '@fresnel/adapters/tree-store';
import { type Hash, type Hasher, type Pubkey, type Slot } from '@fresnel/domain/primitives';
import { frontierOf, isAddressTree, nodesOnPaths, queueStartOf } from '@fresnel/domain/trees';
import { yieldAfter } from '@fresnel/platform';

/** Longest turn of the event loop in which entries are hashed and nodes are listed. */
const MAX_TURN_MS = 2;
/** Nodes of a part of the answer: 400 kB. */
const NODES_PER_PART = 10_000;
/** Entries or nodes between two looks at the clock. */
const ITEMS_PER_STEP = 100;

/** Everything of the answer but the state of the tree. */
type Elements = Omit<QueueElements, 'slot' | 'blockhash' | 'root' | 'rootSeq'>;

/** Null as for `ProofStore.readQueuedElements`. @throws QueueStartPassedError, ProverUnavailableError */
export async function readElements(
  store: ProofStore,
  tree: Pubkey,
  queues: QueueElementsRequest,
  minSlot: Slot,
): Promise<QueuedElements | null> {
  const request = {
    outputs: selectionOf(queues.outputs, true),
    inputs: selectionOf(queues.inputs, true),
    addresses: selectionOf(queues.addresses, false),
  };
  try {
    const found = await store.readQueuedElements(tree, request, minSlot);
    if (found) requireStart(queues.outputs, found.outputs);
    if (found) requireStart(queues.inputs, found.inputs);
    return found;
  } catch (error) {
    if (error instanceof TreeMovedError) throw new ProverUnavailableError(error.message, { cause: error });
    throw error;
  }
}

/** @throws ProverUnavailableError if entries are missing: the store has lost a queue */
export function requireConsecutive(
  { head, outputs, inputs, addresses }: QueuedElements,
  queues: QueueElementsRequest,
): void {
  const queue = { start: queueStartOf(head), end: head.queueEnd };
  requireEntries(outputs, queues.outputs, queue);
  requireEntries(inputs, queues.inputs, { start: head.inputQueueStart, end: head.inputQueueEnd });
  requireEntries(addresses, queues.addresses, queue);
}

/** The first entry is where it should be, and the last one as many positions behind it as there are entries. */
function requireEntries({ first, entries }: QueuePart<unknown>, asked: QueueRequest | null, queue: QueueRange): void {
  const from = asked?.startIndex != null && asked.startIndex > queue.start ? asked.startIndex : queue.start;
  const isExpected = asked !== null && asked.limit > 0 && from < queue.end;
  const last = [...entries.keys()].at(-1);
  const isComplete = last === undefined || last - from === BigInt(entries.size - 1);
  if (first === (isExpected ? from : null) && isComplete) return;
  throw new ProverUnavailableError('entries of a queue are missing in the store');
}

/** @throws TreeNotServableError if the elements around an address are unknown */
export async function toQueueElements(
  found: QueuedElements,
  queues: QueueElementsRequest,
  hasher: Hasher,
): Promise<Elements> {
  const { head, nodes } = found;
  const leafAt = (index: number) => nodes.node({ level: 0, index });
  const outputs = await mapInTurns(found.outputs.entries, ([position, accountHash]): OutputElement => {
    const leafIndex = Number(position);
    return { leafIndex, accountHash, leaf: leafAt(leafIndex) };
  });
  const inputs = await mapInTurns(found.inputs.entries, ([queueIndex, entry]): InputElement => {
    const { hash: accountHash, leafIndex, txHash, nullifier } = entry;
    return { queueIndex, accountHash, leafIndex, txHash, nullifier, leaf: leafAt(leafIndex) };
  });
  const addresses = toAddresses(found);
  const hashChains = (values: readonly Hash[], queue: QueueRequest | null) =>
    hashBatches(values, queue?.zkpBatchSize ?? 1, hasher);
  return {
    ...{ nextIndex: BigInt(head.nextIndex), outputs, inputs, addresses },
    chains: {
      outputs: await hashChains(
        outputs.map(({ accountHash }) => accountHash),
        queues.outputs,
      ),
      inputs: await hashChains(
        inputs.map(({ nullifier }) => nullifier),
        queues.inputs,
      ),
      addresses: await hashChains(
        addresses.map(({ address }) => address),
        queues.addresses,
      ),
    },
    nodes: await listNodes(found, [
      ...[...outputs, ...inputs].map(({ leafIndex }) => leafIndex),
      ...addresses.map(({ lowElementLeafIndex }) => lowElementLeafIndex),
    ]),
    frontier: isAddressTree(head.info) ? frontierOf(nodes, Math.max(head.nextIndex, 1), head.info.height) : [],
  };
}

function selectionOf(queue: QueueRequest | null, isCut: boolean): QueueSelection | null {
  if (!queue) return null;
  return { from: queue.startIndex, limit: queue.limit, multipleOf: isCut ? queue.zkpBatchSize : 1 };
}

/** A forester that asks for a position that has left the queue has an older state of the tree. @throws QueueStartPassedError */
function requireStart(queue: QueueRequest | null, { first }: QueuePart<unknown>): void {
  const startIndex = queue?.startIndex ?? null;
  if (startIndex !== null && first !== null && first > startIndex) throw new QueueStartPassedError(startIndex, first);
}

function toAddresses({ addresses, lows }: QueuedElements): AddressElement[] {
  return Array.from(addresses.entries, ([queueIndex, address], at): AddressElement => {
    const low = lows[at];
    if (!low) throw new TreeNotServableError('The elements around this address were not indexed.');
    return {
      ...{ queueIndex, address, lowElementLeafIndex: low.index, lowElementValue: low.value },
      ...{ lowElementNextIndex: low.nextIndex, lowElementNextValue: low.nextValue },
    };
  });
}

/** Maps entries in short turns of the event loop: of 30,000, each has many objects. */
async function mapInTurns<Entry, Mapped>(entries: Iterable<Entry>, map: (entry: Entry) => Mapped): Promise<Mapped[]> {
  const mapped: Mapped[] = [];
  for (const entry of entries) {
    if (mapped.push(map(entry)) % ITEMS_PER_STEP === 0) await yieldAfter(MAX_TURN_MS);
  }
  return mapped;
}

/** The hash chain of each whole batch. A batch does not continue the chain of the batch before. */
async function hashBatches(values: readonly Hash[], batchSize: number, hasher: Hasher): Promise<Hash[]> {
  const chains: Hash[] = [];
  for (let end = batchSize; end <= values.length; end += batchSize) {
    let chained = values[end - batchSize];
    for (let at = end - batchSize + 1; at < end; at++) {
      chained = hasher([chained, values[at]]);
      await yieldAfter(MAX_TURN_MS);
    }
    chains.push(chained);
  }
  return chains;
}

/** The leaves of entries, or low elements of addresses, with the nodes on their paths and beside them. */
async function listNodes({ head, nodes }: QueuedElements, leafIndices: readonly number[]): Promise<Buffer[]> {
  const { height } = head.info;
  const parts: Buffer[] = [];
  let part = Buffer.allocUnsafe(NODES_PER_PART * NODE_BYTES);
  let length = 0;
  for (const { level, index } of nodesOnPaths(leafIndices, height)) {
    const hash = level === height ? head.root : nodes.node({ level, index });
    const at = length * NODE_BYTES;
    part.writeUInt16BE(level << 8, at);
    part.writeUIntBE(index, at + 2, 6);
    hash.copy(part, at + 8);
    if (++length % ITEMS_PER_STEP === 0) await yieldAfter(MAX_TURN_MS);
    if (length < NODES_PER_PART) continue;
    parts.push(part);
    part = Buffer.allocUnsafe(NODES_PER_PART * NODE_BYTES);
    length = 0;
  }
  if (length > 0) parts.push(part.subarray(0, length * NODE_BYTES));
  return parts;
}
