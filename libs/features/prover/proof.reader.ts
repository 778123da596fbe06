import {
  AddressExistsError,
  BranchUndecidedError,
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
import { type ProofStore, type TreeAtSlot, type TreeProof } from '@fresnel/adapters/tree-store';
import { type Hash, type Hasher, keyOf, type Pubkey, type Slot, toSlot } from '@fresnel/domain/primitives';
import { type IndexedElement, queueStartOf, unservableReasonOf } from '@fresnel/domain/trees';
import { inSpan, Turns } from '@fresnel/platform';
import { now } from '@fresnel/platform/time';
import { type ProofReaderMetrics } from './prover.metrics';
import { readElements, requireConsecutive, toQueueElements } from './read-elements';
import { type SlotWaitOptions, TreeSlotWatchers } from './tree-slot-watchers';

export interface ProofReaderOptions extends SlotWaitOptions {
  /** Serve proofs from trees with gaps. For recordings that start inside the history of a tree. */
  ACCEPT_TREE_GAPS: boolean;
}

/** 60,000 entries with their nodes take about 100 MB while they are read. */
const MAX_ELEMENT_READS = 2;
const NEVER = new AbortController().signal;

/** Reads proofs from the stored trees. */
export class ProofReader implements ProverClient {
  private readonly watchers: TreeSlotWatchers;
  private readonly elementTurns = new Turns(MAX_ELEMENT_READS);
  /** The slot that a tree had when it was read last, by tree. It may have been reverted since. */
  private readonly seen = new Map<string, Slot>();

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
    const proofs = await this.read(tree, minSlot, options, () => this.store.readProofs(tree, addresses, minSlot));
    const state = this.requireServable(proofs);
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
    const found = await this.read(tree, minSlot, options, () => this.store.readLeaves(tree, leafIndices, minSlot));
    const { head, leaves, paths } = found;
    const { height } = head.info;
    const outOfRange = leafIndices.find((leafIndex) => leafIndex >= 2 ** height);
    if (outOfRange !== undefined) throw new LeafOutOfRangeError(outOfRange, height);
    return {
      ...this.requireServable(found),
      nextIndex: BigInt(head.nextIndex),
      leaves,
      paths,
    };
  }

  async findQueues(tree: Pubkey, minSlot: Slot, options?: ProverCallOptions): Promise<TreeQueues> {
    const found = await this.read(tree, minSlot, options, () => this.store.readHead(tree, minSlot));
    const { slot, blockhash } = this.requireServable(found);
    const { queueEnd, inputQueueStart, inputQueueEnd } = found.head;
    return {
      slot,
      blockhash,
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
    // The head is checked first: entries of an unservable tree are not read.
    this.requireServable(await this.read(tree, minSlot, options, () => this.store.readHead(tree, minSlot)));
    return this.elementTurns.run(async () => {
      if (options?.signal?.aborted) throw new ProverUnavailableError('the request was aborted');
      const read = () => readElements(this.store, tree, queues, minSlot);
      const found = await this.read(tree, minSlot, options, read);
      const state = this.requireServable(found);
      if (!this.options.ACCEPT_TREE_GAPS) requireConsecutive(found, queues);
      return { ...state, ...(await toQueueElements(found, queues, this.hasher)) };
    }, NEVER);
  }

  /**
   * Waits until a tree has a slot, unless it had it before, and reads it. If the tree is further back by then, it waits again, and also if
   * a batch has ended between the changes of a slot and the watermark: the block of these changes is not known yet.
   *
   * @throws UnknownTreeError, TreeBehindError after the maximum time, BranchUndecidedError while blocks of its partition are refused
   */
  private async read<State extends TreeAtSlot>(
    tree: Pubkey,
    minSlot: Slot,
    options: ProverCallOptions | undefined,
    read: () => Promise<State | null>,
  ): Promise<State> {
    const startedAt = now();
    const key = keyOf(tree);
    let needed = minSlot;
    for (let seen = this.seen.get(key) ?? null; ; seen = null) {
      if (seen === null || seen < needed) {
        await inSpan('wait for slot', {}, () => this.watchers.waitForSlot(tree, needed, options?.signal));
      }
      const found = await inSpan('read tree', {}, read);
      // Redis may have lost a tree that was seen: it is waited for.
      if (!found && seen !== null) continue;
      if (!found) throw new UnknownTreeError(tree);
      this.seen.set(key, found.slot);
      if (found.hasRefused) throw new BranchUndecidedError();
      needed = toSlot(Math.max(minSlot, found.head.changes.lastSlot));
      if (found.slot >= needed) return found;
      if (now() - startedAt >= this.options.PROVER_MAX_WAIT_MS) throw new TreeBehindError(found.slot, needed);
    }
  }

  /**
   * @returns the state of a tree
   * @throws TreeNotServableError
   */
  private requireServable({ head, slot, blockhash }: TreeAtSlot) {
    const reason = unservableReasonOf(head, slot, this.options.ACCEPT_TREE_GAPS);
    if (reason) throw new TreeNotServableError(reason.message);
    return { slot, blockhash, root: head.root, rootSeq: head.seq };
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
