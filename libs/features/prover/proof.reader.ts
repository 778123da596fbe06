import {
  AddressExistsError,
  LeafOutOfRangeError,
  type NewAddressProofs,
  packElements,
  type ProverCallOptions,
  type ProverClient,
  ProverUnavailableError,
  type QueueElements,
  type QueueElementsRequest,
  type StateTreeProofs,
  TreeBehindError,
  TreeNotServableError,
  type TreeQueues,
  UnknownTreeError,
} from '@fresnel/adapters/prover-client';
import { type ProofStore, type TreeProof, type TreeProofs } from '@fresnel/adapters/tree-store';
import { type Hash, type Hasher, type Pubkey, type Slot, toSlot } from '@fresnel/domain/primitives';
import { type IndexedElement, queueStartOf, unservableReasonOf } from '@fresnel/domain/trees';
import { inSpan, Turns } from '@fresnel/platform';
import { type ProofReaderMetrics } from './prover.metrics';
import { readElements, requireConsecutive, toQueueElements } from './queue-elements';
import { type SlotWaitOptions, TreeSlotWatchers } from './tree-slot-watchers';

export interface ProofReaderOptions extends SlotWaitOptions {
  /** Serve proofs from trees with gaps. For recordings that start inside the history of a tree. */
  acceptTreeGaps: boolean;
}

/** 60,000 entries with their nodes take about 100 MB while they are read. */
const MAX_ELEMENT_READS = 2;
const NEVER = new AbortController().signal;

/** Reads proofs from the stored trees. */
export class ProofReader implements ProverClient {
  private readonly watchers: TreeSlotWatchers;
  private readonly elementTurns = new Turns(MAX_ELEMENT_READS);

  constructor(
    private readonly store: ProofStore,
    private readonly hasher: Hasher,
    private readonly options: ProofReaderOptions,
    metrics: ProofReaderMetrics,
  ) {
    this.watchers = new TreeSlotWatchers((tree) => this.findSlot(tree), options);
    metrics.observeWaiting(() => this.watchers.waiting);
  }

  /** Waits a short time if the tree is a little behind: the projector may have a slot moments before the prover. */
  async proveNewAddresses(
    tree: Pubkey,
    addresses: readonly Hash[],
    minSlot: Slot,
    options?: ProverCallOptions,
  ): Promise<NewAddressProofs> {
    await this.waitForSlot(tree, minSlot, options);
    const proofs = await inSpan('read tree', {}, () => this.store.readProofs(tree, addresses, minSlot));
    if (!proofs) throw new UnknownTreeError(tree);
    const state = this.requireServable(proofs, minSlot);
    const lows = proofs.items.map((item, index) => requireLow(addresses[index], item));
    if (!proofs.paths) throw new Error('the store has a low element of each address, and no path of it');
    return { ...state, elements: packElements(addresses, lows), paths: proofs.paths };
  }

  async proveLeaves(
    tree: Pubkey,
    leafIndices: readonly number[],
    minSlot: Slot,
    options?: ProverCallOptions,
  ): Promise<StateTreeProofs> {
    await this.waitForSlot(tree, minSlot, options);
    const found = await inSpan('read tree', {}, () => this.store.readLeaves(tree, leafIndices, minSlot));
    if (!found) throw new UnknownTreeError(tree);
    const { head, items } = found;
    const { height } = head.info;
    const outOfRange = leafIndices.find((leafIndex) => leafIndex >= 2 ** height);
    if (outOfRange !== undefined) throw new LeafOutOfRangeError(outOfRange, height);
    return {
      ...this.requireServable(found, minSlot),
      nextIndex: BigInt(head.nextIndex),
      height,
      leaves: items.map((item, at) => ({ leafIndex: leafIndices[at], ...item })),
    };
  }

  async findQueues(tree: Pubkey, minSlot: Slot, options?: ProverCallOptions): Promise<TreeQueues> {
    await this.waitForSlot(tree, minSlot, options);
    const found = await inSpan('read tree', {}, () => this.store.readHead(tree, minSlot));
    if (!found) throw new UnknownTreeError(tree);
    const { slot } = this.requireServable(found, minSlot);
    const { queueEnd, inputQueueStart, inputQueueEnd } = found.head;
    return {
      slot,
      queue: { start: queueStartOf(found.head), end: queueEnd },
      inputQueue: { start: inputQueueStart, end: inputQueueEnd },
    };
  }

  async findQueueElements(
    tree: Pubkey,
    queues: QueueElementsRequest,
    minSlot: Slot,
    options?: ProverCallOptions,
  ): Promise<QueueElements> {
    await this.waitForSlot(tree, minSlot, options);
    return this.elementTurns.run(async () => {
      if (options?.signal?.aborted) throw new ProverUnavailableError('the request was aborted');
      return inSpan('read tree', {}, () => this.readQueueElements(tree, queues, minSlot));
    }, NEVER);
  }

  private waitForSlot(tree: Pubkey, minSlot: Slot, options?: ProverCallOptions): Promise<void> {
    return inSpan('wait for slot', {}, () => this.watchers.waitForSlot(tree, minSlot, options?.signal));
  }

  /** The head is checked first: entries of an unservable tree are not read. */
  private async readQueueElements(tree: Pubkey, queues: QueueElementsRequest, minSlot: Slot): Promise<QueueElements> {
    const state = await this.store.readHead(tree, minSlot);
    if (!state) throw new UnknownTreeError(tree);
    this.requireServable(state, minSlot);
    const found = await readElements(this.store, tree, queues, minSlot);
    if (!found) throw new UnknownTreeError(tree);
    const { slot, root, rootSeq } = this.requireServable(found, minSlot);
    if (!this.options.acceptTreeGaps) requireConsecutive(found, queues);
    return { slot, root, rootSeq, ...(await toQueueElements(found, queues, this.hasher)) };
  }

  /**
   * @returns the state of a tree
   * @throws TreeBehindError, TreeNotServableError
   */
  private requireServable({ head, slot }: Pick<TreeProofs, 'head' | 'slot'>, minSlot: Slot) {
    // The tree may be further back than a moment ago: the store was emptied, or a fork was reverted.
    if (slot < minSlot) throw new TreeBehindError(slot, minSlot);
    const reason = unservableReasonOf(head, slot, this.options.acceptTreeGaps);
    if (reason) throw new TreeNotServableError(reason.message);
    // A batch may end between the changes of a slot and the watermark.
    return { slot: toSlot(Math.max(slot, head.changes.lastSlot)), root: head.root, rootSeq: head.seq };
  }

  /** An unknown tree has the slot of all trees, since it may be created in a slot that is not applied yet. */
  private async findSlot(tree: Pubkey): Promise<Slot | null> {
    return (await this.store.findTreeSlot(tree)) ?? (await this.store.findSlot());
  }
}

/** @returns the low element of an address that is not in the tree @throws AddressExistsError, TreeNotServableError */
function requireLow(address: Hash, { low, exists }: TreeProof): IndexedElement {
  if (!low || exists) throw new AddressExistsError(address);
  if (low.nextValue.compare(address) <= 0) {
    throw new TreeNotServableError('The elements around this address were not indexed.');
  }
  return low;
}
