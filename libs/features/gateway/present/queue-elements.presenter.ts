import { NODE_BYTES, type QueueElements } from '@fresnel/adapters/prover-client';
import { QueueNode } from '@fresnel/contracts/rpc';
import { type Hash, HASH_BYTES, toBase58, ZERO_HASH } from '@fresnel/domain/primitives';
import { compileSerializer } from '../responses/compile-serializer';
import { encodeList, encodeObject } from '../responses/encode-list';

const nodeJson = compileSerializer(QueueNode);

/** Which queues of a state tree were requested. */
export interface RequestedQueues {
  outputs: boolean;
  inputs: boolean;
}

/** Presents the queues of a state tree as JSON in parts. Null if no queue has entries. */
export async function encodeStateQueue(elements: QueueElements, requested: RequestedQueues): Promise<Buffer[] | null> {
  const { outputs, inputs, root, rootSeq } = elements;
  if (outputs.length === 0 && inputs.length === 0) return null;
  return encodeObject({
    nodes: await encodeNodes(elements),
    initialRoot: hashJson(root),
    rootSeq: String(rootSeq),
    outputQueue: requested.outputs ? await encodeOutputs(elements) : null,
    inputQueue: requested.inputs ? await encodeInputs(elements) : null,
  });
}

/** Presents the queue of an address tree as JSON in parts. Without entries its root is not stated. */
export async function encodeAddressQueue(elements: QueueElements): Promise<Buffer[]> {
  const { addresses, chains, frontier, nextIndex, root, rootSeq } = elements;
  const isEmpty = addresses.length === 0;
  return encodeObject({
    addresses: await encodeList(addresses, ({ address }) => hashJson(address)),
    queueIndices: await encodeList(addresses, ({ queueIndex }) => String(queueIndex)),
    nodes: isEmpty ? null : await encodeNodes(elements),
    lowElementIndices: await encodeList(addresses, ({ lowElementLeafIndex }) => String(lowElementLeafIndex)),
    lowElementValues: await encodeList(addresses, ({ lowElementValue }) => hashJson(lowElementValue)),
    lowElementNextIndices: await encodeList(addresses, ({ lowElementNextIndex }) => String(lowElementNextIndex)),
    lowElementNextValues: await encodeList(addresses, ({ lowElementNextValue }) => hashJson(lowElementNextValue)),
    leavesHashChains: await encodeList(chains.addresses, hashJson),
    initialRoot: hashJson(isEmpty ? ZERO_HASH : root),
    startIndex: String(nextIndex > 1n ? nextIndex : 1n),
    subtrees: await encodeList(frontier, hashJson),
    rootSeq: isEmpty ? '0' : String(rootSeq),
  });
}

async function encodeOutputs({ outputs, chains }: QueueElements): Promise<Buffer[]> {
  const first = String(outputs.at(0)?.leafIndex ?? 0);
  return encodeObject({
    leafIndices: await encodeList(outputs, ({ leafIndex }) => String(leafIndex)),
    accountHashes: await encodeList(outputs, ({ accountHash }) => hashJson(accountHash)),
    leaves: await encodeList(outputs, ({ leaf }) => hashJson(leaf)),
    firstQueueIndex: first,
    nextIndex: first,
    leavesHashChains: await encodeList(chains.outputs, hashJson),
  });
}

async function encodeInputs({ inputs, chains }: QueueElements): Promise<Buffer[]> {
  return encodeObject({
    leafIndices: await encodeList(inputs, ({ leafIndex }) => String(leafIndex)),
    accountHashes: await encodeList(inputs, ({ accountHash }) => hashJson(accountHash)),
    leaves: await encodeList(inputs, ({ leaf }) => hashJson(leaf)),
    txHashes: await encodeList(inputs, ({ txHash }) => hashJson(txHash)),
    nullifiers: await encodeList(inputs, ({ nullifier }) => hashJson(nullifier)),
    firstQueueIndex: String(inputs.at(0)?.queueIndex ?? 0n),
    leavesHashChains: await encodeList(chains.inputs, hashJson),
  });
}

/** Half a million nodes are usual. */
function encodeNodes({ nodes }: QueueElements): Promise<Buffer[]> {
  return encodeList(recordsOf(nodes), (record) =>
    nodeJson({ index: record.readBigUInt64BE(), hash: toBase58(record.subarray(NODE_BYTES - HASH_BYTES)) }),
  );
}

function* recordsOf(nodes: readonly Buffer[]): Generator<Buffer, void> {
  for (const records of nodes) {
    for (let at = 0; at < records.length; at += NODE_BYTES) yield records.subarray(at, at + NODE_BYTES);
  }
}

function hashJson(hash: Hash): string {
  return `"${toBase58(hash)}"`;
}
