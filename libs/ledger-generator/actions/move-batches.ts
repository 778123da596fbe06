import { type Hash } from '@fresnel/domain/primitives';
import { type TreeInfo } from '@fresnel/domain/trees';
import { callBatch } from '../calls/forester-calls';
import { encodeBatchEvent } from '../encode/tree-events';
import { type AddressBatchFacts, type StateBatchFacts } from '../facts';
import { type TransactionDraft } from '../transaction/draft';
import { type AddressTree } from '../trees/address-tree';
import { type StateTreeV2 } from '../trees/state-tree-v2';
import { type ForestryStep, repeatForestry } from './forestry';
import { type Stage } from './stage';

/** Elements that one proof moves, and how many such steps fill one of a queue's two batches. */
const ZKP_BATCH_SIZE = 10;
const ZKP_BATCHES_PER_BATCH = 5;

/** A forester moves outputs from their queue into a V2 state tree. */
export function appendOutputs(stage: Stage): TransactionDraft | null {
  const { stateTreesV2 } = stage.chain;
  return repeatForestry(stage, () => {
    const ready = stateTreesV2.filter(({ outputsWaiting }) => outputsWaiting >= ZKP_BATCH_SIZE);
    return moveBatch(stage, ready, planAppend);
  });
}

/** A forester overwrites leaves of consumed accounts in a V2 state tree, even before they were appended. */
export function nullifyInputs(stage: Stage): TransactionDraft | null {
  const { stateTreesV2 } = stage.chain;
  return repeatForestry(stage, () => {
    const ready = stateTreesV2.filter(({ inputsWaiting }) => inputsWaiting >= ZKP_BATCH_SIZE);
    return moveBatch(stage, ready, planNullify);
  });
}

/** A forester moves addresses from their queue into a V2 address tree. */
export function appendAddresses(stage: Stage): TransactionDraft | null {
  const { addressTreesV2 } = stage.chain;
  return repeatForestry(stage, () => {
    const ready = addressTreesV2.filter(({ queue }) => queue.length >= ZKP_BATCH_SIZE);
    return moveBatch(stage, ready, planAddressAppend);
  });
}

type Batch = StateBatchFacts | AddressBatchFacts;

/** One step in one of the trees that have a full zkp batch waiting. */
function moveBatch<Tree extends { info: TreeInfo }>(
  { random, cast }: Stage,
  ready: readonly Tree[],
  plan: (tree: Tree) => Batch,
): ForestryStep | null {
  if (ready.length === 0) return null;
  const tree = random.pick(ready);
  const event = plan(tree);
  return { event, call: callBatch(cast.forester, tree.info, event, batchPayload(event, tree.info)) };
}

function planAppend(tree: StateTreeV2): StateBatchFacts {
  const newRoot = tree.rootAfterAppend(ZKP_BATCH_SIZE);
  return { kind: 'outputs-appended', ...rangeFrom(tree.appendedEnd), ...resultOf(tree, newRoot) };
}

function planNullify(tree: StateTreeV2): StateBatchFacts {
  const newRoot = tree.rootAfterNullify(ZKP_BATCH_SIZE);
  return { kind: 'inputs-nullified', ...rangeFrom(tree.nullifiedEnd), ...resultOf(tree, newRoot) };
}

function planAddressAppend(tree: AddressTree): AddressBatchFacts {
  const addresses = tree.queue.slice(0, ZKP_BATCH_SIZE);
  const newRoot = tree.rootAfter(addresses);
  return { kind: 'addresses-appended', addresses, ...rangeFrom(tree.nextIndex), ...resultOf(tree, newRoot) };
}

function rangeFrom(oldNextIndex: number) {
  return { oldNextIndex, newNextIndex: oldNextIndex + ZKP_BATCH_SIZE };
}

function resultOf({ info, seq }: { info: TreeInfo; seq: bigint }, newRoot: Hash) {
  return { tree: info.tree, newRoot, seq: seq + 1n };
}

/** The address tree counts its first, built-in leaf; its queue does not. */
function batchPayload(event: Batch, info: TreeInfo): Buffer {
  const queuePosition = event.kind === 'addresses-appended' ? event.oldNextIndex - 1 : event.oldNextIndex;
  const zkpBatch = Math.floor(queuePosition / ZKP_BATCH_SIZE);
  return encodeBatchEvent({
    ...event,
    batchIndex: Math.floor(zkpBatch / ZKP_BATCHES_PER_BATCH) % 2,
    zkpBatchIndex: zkpBatch % ZKP_BATCHES_PER_BATCH,
    zkpBatchSize: ZKP_BATCH_SIZE,
    rootIndex: Number(event.seq) % info.rootHistoryCapacity,
    outputQueue: event.kind === 'outputs-appended' ? info.queue : null,
  });
}
