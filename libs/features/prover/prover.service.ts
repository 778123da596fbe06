import { type Bus } from '@fresnel/adapters/bus';
import {
  type NewAddressProofs,
  type ProverCallOptions,
  type ProverClient,
  type QueueElements,
  type QueueElementsRequest,
  type StateTreeProofs,
  type TreeQueues,
} from '@fresnel/adapters/prover-client';
import { type TreeStore } from '@fresnel/adapters/tree-store';
import { type Hash, type Pubkey, type Slot, type TreeHasher } from '@fresnel/domain/primitives';
import { type Logger } from '@fresnel/platform';
import { ProofReader, type ProofReaderOptions } from './proof.reader';
import { type ProverMetrics } from './prover.metrics';
import { TreeUpdatesConsumer } from './tree-updates.consumer';

export type ProverOptions = ProofReaderOptions;

/** A prover: the writer of the trees, and a reader of proofs from the same store. */
export class ProverService implements ProverClient {
  private readonly consumer: TreeUpdatesConsumer;
  private readonly reader: ProofReader;

  constructor(
    bus: Bus,
    store: TreeStore,
    hasher: TreeHasher,
    options: ProverOptions,
    logger: Logger,
    metrics: ProverMetrics,
  ) {
    this.consumer = new TreeUpdatesConsumer(bus, store, hasher, options.ACCEPT_TREE_GAPS, logger, metrics);
    this.reader = new ProofReader(store, hasher.hash, options, metrics);
  }

  /** Applies tree updates until the signal is aborted. */
  run(signal: AbortSignal): Promise<void> {
    return this.consumer.run(signal);
  }

  proveNewAddresses(
    tree: Pubkey,
    addresses: readonly Hash[],
    minSlot: Slot,
    options?: ProverCallOptions,
  ): Promise<NewAddressProofs> {
    return this.reader.proveNewAddresses(tree, addresses, minSlot, options);
  }

  proveLeaves(
    tree: Pubkey,
    leafIndices: readonly number[],
    minSlot: Slot,
    options?: ProverCallOptions,
  ): Promise<StateTreeProofs> {
    return this.reader.proveLeaves(tree, leafIndices, minSlot, options);
  }

  findQueueElements(
    tree: Pubkey,
    queues: QueueElementsRequest,
    minSlot: Slot,
    options?: ProverCallOptions,
  ): Promise<QueueElements> {
    return this.reader.findQueueElements(tree, queues, minSlot, options);
  }

  findQueues(tree: Pubkey, minSlot: Slot, options?: ProverCallOptions): Promise<TreeQueues> {
    return this.reader.findQueues(tree, minSlot, options);
  }
}
