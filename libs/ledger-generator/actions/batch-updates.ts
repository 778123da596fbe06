import { type Hash } from '@fresnel/domain/primitives';
import { type TreeInfo } from '@fresnel/domain/trees';
import { batchUpdateInstruction } from '../instructions/forester-instructions';
import { encodeBatchEvent } from '../encode/tree-events';
import { type AddressBatchFacts, type StateBatchFacts } from '../facts';
import { type TransactionDraft } from '../transaction/transaction-draft';
import { type AddressTree } from '../trees/address-tree';
import { type StateTreeV2 } from '../trees/state-tree-v2';
import { type ForesterUpdate, buildForesterTransaction } from './forester-transaction';
import { type GenerationContext } from './generation-context';

/** Elements per ZK proof, and ZK batches per batch of a queue. A queue has two batches. */
const ZKP_BATCH_SIZE = 10;
const ZKP_BATCHES_PER_BATCH = 5;

/** Builds a forester's transaction that appends batches of the output queue to V2 state trees. */
export function appendOutputs(context: GenerationContext): TransactionDraft | null {
  const { stateTreesV2 } = context.chain;
  return buildForesterTransaction(context, () => {
    const ready = stateTreesV2.filter(({ queuedOutputCount }) => queuedOutputCount >= ZKP_BATCH_SIZE);
    return nextBatchUpdate(context, ready, planAppend);
  });
}

/**
 * Builds a forester's transaction that writes batches of nullifiers over the leaves of consumed accounts in V2 state
 * trees. A leaf may be nullified before it is appended.
 */
export function nullifyInputs(context: GenerationContext): TransactionDraft | null {
  const { stateTreesV2 } = context.chain;
  return buildForesterTransaction(context, () => {
    const ready = stateTreesV2.filter(({ queuedInputCount }) => queuedInputCount >= ZKP_BATCH_SIZE);
    return nextBatchUpdate(context, ready, planNullify);
  });
}

/** Builds a forester's transaction that inserts batches of the address queue into V2 address trees. */
export function appendAddresses(context: GenerationContext): TransactionDraft | null {
  const { addressTreesV2 } = context.chain;
  return buildForesterTransaction(context, () => {
    const ready = addressTreesV2.filter(({ queue }) => queue.length >= ZKP_BATCH_SIZE);
    return nextBatchUpdate(context, ready, planAddressAppend);
  });
}

type Batch = StateBatchFacts | AddressBatchFacts;

/** An update of a random one of the trees whose queue has a full ZK batch. */
function nextBatchUpdate<Tree extends { info: TreeInfo }>(
  { random, actors }: GenerationContext,
  ready: readonly Tree[],
  plan: (tree: Tree) => Batch,
): ForesterUpdate | null {
  if (ready.length === 0) return null;
  const tree = random.pick(ready);
  const event = plan(tree);
  return {
    event,
    instruction: batchUpdateInstruction(actors.forester, tree.info, event, batchPayload(event, tree.info)),
  };
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

/** Leaf indices of an address tree include its initial leaf, queue positions do not. */
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
