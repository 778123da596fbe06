import { create, type MessageInitShape } from '@bufbuild/protobuf';
import {
  type FindQueueElementsRequest,
  FindQueueElementsRequestSchema,
  type FindQueueElementsResponse,
  FindQueueElementsResponseSchema,
  type QueueSelection,
} from '@fresnel/contracts/prover';
import {
  MalformedBytesError,
  MalformedTextError,
  type Pubkey,
  type Slot,
  toHash,
  toPubkey,
  toSlot,
} from '@fresnel/domain/primitives';
import { readBlock, writeBlock } from './proof-records';
import {
  type AddressElement,
  type InputElement,
  NODE_BYTES,
  type OutputElement,
  type QueueElements,
  type QueueRequest,
  type QueueElementsRequest,
} from './prover-elements';

/** A part is encoded and decoded in one turn of the event loop: milliseconds. It is far smaller than a message may be. */
const ENTRIES_PER_PART = 500;

/** A decoded request for entries of queues. */
export interface ElementsRequest {
  tree: Pubkey;
  queues: QueueElementsRequest;
  minSlot: Slot;
}

export function writeElementsRequest({ tree, queues, minSlot }: ElementsRequest): FindQueueElementsRequest {
  return create(FindQueueElementsRequestSchema, {
    tree,
    minSlot: BigInt(minSlot),
    outputQueue: writeSelection(queues.outputs),
    inputQueue: writeSelection(queues.inputs),
    addressQueue: writeSelection(queues.addresses),
  });
}

/** @throws MalformedTextError for an invalid key, slot or batch size */
export function readElementsRequest(request: FindQueueElementsRequest): ElementsRequest {
  return {
    tree: toPubkey(Buffer.from(request.tree)),
    minSlot: toSlot(Number(request.minSlot)),
    queues: {
      outputs: readSelection(request.outputQueue),
      inputs: readSelection(request.inputQueue),
      addresses: readSelection(request.addressQueue),
    },
  };
}

/** Writes elements as parts, one after the other. */
export function* writeElements(elements: QueueElements): Generator<FindQueueElementsResponse, void> {
  const { root, rootSeq, nextIndex, chains, frontier, outputs, inputs, addresses, nodes } = elements;
  yield part({
    state: {
      ...writeBlock(elements),
      ...{ root, rootSeq, nextIndex, frontier },
      ...{ outputChains: chains.outputs, inputChains: chains.inputs, addressChains: chains.addresses },
    },
  });
  for (const items of partsOf(outputs)) yield part({ outputs: items.map(withWireIndex) });
  for (const items of partsOf(inputs)) yield part({ inputs: items.map(withWireIndex) });
  for (const items of partsOf(addresses)) yield part({ addresses: items.map(writeAddress) });
  for (const records of nodes) yield part({ nodes: records });
}

/** Collects the parts of an answer. */
export class ElementsAssembler {
  private elements: QueueElements | null = null;

  /** @throws MalformedTextError, MalformedBytesError for an invalid part */
  add({ state, outputs, inputs, addresses, nodes }: FindQueueElementsResponse): void {
    if (state) this.elements = readState(state);
    const elements = this.finish();
    for (const item of outputs) elements.outputs.push(readOutput(item));
    for (const item of inputs) elements.inputs.push(readInput(item));
    for (const item of addresses) elements.addresses.push(readAddress(item));
    if (nodes.length % NODE_BYTES !== 0) throw new MalformedBytesError(`${nodes.length} bytes of nodes`);
    if (nodes.length > 0) elements.nodes.push(Buffer.from(nodes));
  }

  /** @throws MalformedBytesError without a state */
  finish(): QueueElements {
    if (!this.elements) throw new MalformedBytesError('the first part has no state');
    return this.elements;
  }
}

type PartInit = MessageInitShape<typeof FindQueueElementsResponseSchema>;
type WireState = NonNullable<FindQueueElementsResponse['state']>;

function part(values: PartInit): FindQueueElementsResponse {
  return create(FindQueueElementsResponseSchema, values);
}

function* partsOf<Item>(items: readonly Item[]): Generator<readonly Item[], void> {
  for (let from = 0; from < items.length; from += ENTRIES_PER_PART) yield items.slice(from, from + ENTRIES_PER_PART);
}

function writeSelection(queue: QueueRequest | null) {
  return queue ? { ...queue, startIndex: queue.startIndex ?? undefined } : undefined;
}

function readSelection(selection: QueueSelection | undefined): QueueRequest | null {
  if (!selection) return null;
  const { startIndex = null, limit, zkpBatchSize } = selection;
  if (zkpBatchSize === 0) throw new MalformedTextError('a zkp batch has at least one entry');
  return { startIndex, limit, zkpBatchSize };
}

function withWireIndex<Item extends { leafIndex: number }>({ leafIndex, ...item }: Item) {
  return { ...item, leafIndex: BigInt(leafIndex) };
}

function writeAddress({ lowElementLeafIndex, lowElementNextIndex, ...item }: AddressElement) {
  return {
    ...item,
    lowElementLeafIndex: BigInt(lowElementLeafIndex),
    lowElementNextIndex: BigInt(lowElementNextIndex),
  };
}

function readState(state: WireState): QueueElements {
  const { root, rootSeq, nextIndex, frontier, ...chains } = state;
  return {
    ...readBlock(state),
    ...{ root: hashOf(root), rootSeq, nextIndex, frontier: frontier.map(hashOf) },
    ...{ outputs: [], inputs: [], addresses: [], nodes: [] },
    chains: {
      outputs: chains.outputChains.map(hashOf),
      inputs: chains.inputChains.map(hashOf),
      addresses: chains.addressChains.map(hashOf),
    },
  };
}

function readOutput({ leafIndex, accountHash, leaf }: FindQueueElementsResponse['outputs'][number]): OutputElement {
  return { leafIndex: Number(leafIndex), accountHash: hashOf(accountHash), leaf: hashOf(leaf) };
}

function readInput(item: FindQueueElementsResponse['inputs'][number]): InputElement {
  return {
    queueIndex: item.queueIndex,
    leafIndex: Number(item.leafIndex),
    accountHash: hashOf(item.accountHash),
    txHash: hashOf(item.txHash),
    nullifier: hashOf(item.nullifier),
    leaf: hashOf(item.leaf),
  };
}

function readAddress(item: FindQueueElementsResponse['addresses'][number]): AddressElement {
  return {
    queueIndex: item.queueIndex,
    address: hashOf(item.address),
    lowElementLeafIndex: Number(item.lowElementLeafIndex),
    lowElementValue: hashOf(item.lowElementValue),
    lowElementNextIndex: Number(item.lowElementNextIndex),
    lowElementNextValue: hashOf(item.lowElementNextValue),
  };
}

function hashOf(bytes: Uint8Array) {
  return toHash(Buffer.from(bytes));
}
