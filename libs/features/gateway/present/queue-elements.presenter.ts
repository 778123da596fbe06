import { NODE_BYTES, type QueueElements } from '@fresnel/adapters/prover-client';
import { QueueNode } from '@fresnel/contracts/rpc';
import { type Hash, toBase58, ZERO_HASH } from '@fresnel/domain/primitives';
import { yieldAfter } from '@fresnel/platform';
import { compileSerializer } from '../responses/compile-serializer';
import { MAX_TURN_MS } from '../responses/list-text';

const nodeJson = compileSerializer(QueueNode);

/** Which queues of a state tree were requested. */
export interface RequestedQueues {
  outputs: boolean;
  inputs: boolean;
}

/** Presents the queues of a state tree as JSON text. Null if no queue has entries. */
export async function stateQueueText(elements: QueueElements, requested: RequestedQueues): Promise<string | null> {
  const { outputs, inputs, root, rootSeq } = elements;
  if (outputs.length === 0 && inputs.length === 0) return null;
  return objectText({
    nodes: await nodesText(elements),
    initialRoot: JSON.stringify(toBase58(root)),
    rootSeq: String(rootSeq),
    outputQueue: requested.outputs ? await outputsText(elements) : null,
    inputQueue: requested.inputs ? await inputsText(elements) : null,
  });
}

/** Presents the queue of an address tree as JSON text. Without entries its root is not stated. */
export async function addressQueueText(elements: QueueElements): Promise<string> {
  const { addresses, chains, frontier, nextIndex, root, rootSeq } = elements;
  const isEmpty = addresses.length === 0;
  return objectText({
    addresses: await hashesText(addresses.map(({ address }) => address)),
    queueIndices: numbersText(addresses.map(({ queueIndex }) => queueIndex)),
    nodes: isEmpty ? null : await nodesText(elements),
    lowElementIndices: numbersText(addresses.map(({ lowElementLeafIndex }) => lowElementLeafIndex)),
    lowElementValues: await hashesText(addresses.map(({ lowElementValue }) => lowElementValue)),
    lowElementNextIndices: numbersText(addresses.map(({ lowElementNextIndex }) => lowElementNextIndex)),
    lowElementNextValues: await hashesText(addresses.map(({ lowElementNextValue }) => lowElementNextValue)),
    leavesHashChains: await hashesText(chains.addresses),
    initialRoot: JSON.stringify(toBase58(isEmpty ? ZERO_HASH : root)),
    startIndex: String(nextIndex > 1n ? nextIndex : 1n),
    subtrees: await hashesText(frontier),
    rootSeq: isEmpty ? '0' : String(rootSeq),
  });
}

async function outputsText({ outputs, chains }: QueueElements): Promise<string> {
  const first = String(outputs.at(0)?.leafIndex ?? 0);
  return objectText({
    leafIndices: numbersText(outputs.map(({ leafIndex }) => leafIndex)),
    accountHashes: await hashesText(outputs.map(({ accountHash }) => accountHash)),
    leaves: await hashesText(outputs.map(({ leaf }) => leaf)),
    firstQueueIndex: first,
    nextIndex: first,
    leavesHashChains: await hashesText(chains.outputs),
  });
}

async function inputsText({ inputs, chains }: QueueElements): Promise<string> {
  return objectText({
    leafIndices: numbersText(inputs.map(({ leafIndex }) => leafIndex)),
    accountHashes: await hashesText(inputs.map(({ accountHash }) => accountHash)),
    leaves: await hashesText(inputs.map(({ leaf }) => leaf)),
    txHashes: await hashesText(inputs.map(({ txHash }) => txHash)),
    nullifiers: await hashesText(inputs.map(({ nullifier }) => nullifier)),
    firstQueueIndex: String(inputs.at(0)?.queueIndex ?? 0n),
    leavesHashChains: await hashesText(chains.inputs),
  });
}

/** @param members JSON text by name; null: absent */
export function objectText(members: Record<string, string | null>): string {
  const present = Object.entries(members).filter(([, text]) => text !== null);
  return `{${present.map(([name, text]) => `"${name}":${text}`).join(',')}}`;
}

/** Half a million nodes are usual, and each is written on its own: other requests run in between. */
async function nodesText({ nodes }: QueueElements): Promise<string> {
  const texts: string[] = [];
  for (const records of nodes) {
    for (let at = 0; at < records.length; at += NODE_BYTES) {
      const hash = toBase58(records.subarray(at + 8, at + NODE_BYTES));
      texts.push(nodeJson({ index: records.readBigUInt64BE(at), hash }));
      await yieldAfter(MAX_TURN_MS);
    }
  }
  return `[${texts.join(',')}]`;
}

async function hashesText(hashes: readonly Hash[]): Promise<string> {
  const texts: string[] = [];
  for (const hash of hashes) {
    texts.push(`"${toBase58(hash)}"`);
    await yieldAfter(MAX_TURN_MS);
  }
  return `[${texts.join(',')}]`;
}

function numbersText(numbers: readonly (number | bigint)[]): string {
  return `[${numbers.join(',')}]`;
}
