import { setTimeout as sleep } from 'node:timers/promises';
import { type Batch, type Bus } from '@fresnel/adapters/bus';
import {
  AddressExistsError,
  type NewAddressProof,
  type NewAddressProofs,
  type ProverClient,
  ProverUnavailableError,
  TreeNotServableError,
  UnknownTreeError,
} from '@fresnel/adapters/prover-client';
import { type RecentBlock, type TreeProof, type TreeStore } from '@fresnel/adapters/tree-store';
import { PROVER_GROUP, StalePositionError, TREE_UPDATES, type TreeUpdatesMessage } from '@fresnel/contracts/messages';
import { type Hash, type Hasher, type Pubkey, type Slot, toBase58 } from '@fresnel/domain/primitives';
import { type AddressTreeHead, refusalOf } from '@fresnel/domain/trees';
import { type Logger, untilAvailable } from '@fresnel/platform';
import { type BatchOutcome, PartitionBatch } from './partition-batch';
import { type ProverMetrics } from './prover.metrics';

/** Records of a batch; each touched node is hashed once a batch. */
const MAX_BATCH = 500;

const WAIT_STEP_MS = 10;

export interface ProverOptions {
  /** Serve proofs from trees of which a part was never seen. For recordings. */
  acceptTreeGaps: boolean;
  /** How long a request may wait for a slot that the projector has and the prover has not yet. */
  maxWaitMs: number;
}

interface ClaimedPartition {
  epoch: bigint;
  partitionCount: number;
  /** Its last blocks, as committed. */
  recent: readonly RecentBlock[];
}

/** Keeps address trees up to date and proves from them that addresses are new. */
export class ProverService implements ProverClient {
  /** Trees whose refusal was said in the log, by reason. */
  private readonly reported = new Map<string, string>();
  /** The partitions that this process holds. */
  private readonly claimed = new Map<number, ClaimedPartition>();

  constructor(
    private readonly bus: Bus,
    private readonly store: TreeStore,
    private readonly hasher: Hasher,
    private readonly options: ProverOptions,
    private readonly logger: Logger,
    private readonly metrics: ProverMetrics,
  ) {}

  /** Follows `tree-updates` until the signal says stop. */
  async run(signal: AbortSignal): Promise<void> {
    const heads = await untilAvailable(() => this.store.listHeads(), { signal, logger: this.logger });
    if (!heads) return;
    await this.reportServability(heads);
    const claimPartition = (partition: number, count: number) => this.claimPartition(partition, count);
    const onBatch = (batch: Batch<TreeUpdatesMessage>) => this.applyBatch(batch);
    await this.bus.consume(
      { group: PROVER_GROUP, topic: TREE_UPDATES, maxBatch: MAX_BATCH, claimPartition, onBatch },
      signal,
    );
  }

  private async claimPartition(partition: number, partitionCount: number): Promise<bigint | null> {
    const { offset, epoch } = await this.store.claimPosition(partition, partitionCount);
    const recent = offset === null ? [] : await this.store.readBlocks(partition);
    this.claimed.set(partition, { epoch, partitionCount, recent });
    return offset;
  }

  private async applyBatch({ partition, from, to, messages }: Batch<TreeUpdatesMessage>): Promise<void> {
    const claimed = this.claimed.get(partition);
    if (!claimed) throw new StalePositionError(`partition ${partition} was not taken`);
    const batch = new PartitionBatch({ partition, ...claimed }, this.store, this.hasher, this.options.acceptTreeGaps);
    const outcome = await batch.apply(messages);
    const { trees, slot, blocks } = outcome;
    await this.store.commit({ trees, slot, blocks, position: { partition, epoch: claimed.epoch, from, to } });
    claimed.recent = blocks.recent;
    this.reportBatch(outcome);
    // The store may have passed over what it had already, and then what was made of it here is not what it holds.
    await this.reportServability(
      blocks.forkPointSlot === null ? trees.map(({ head }) => head) : await this.store.listHeads(),
    );
  }

  private reportBatch({ slot, blocks: { forkPointSlot }, skippedRecords }: BatchOutcome): void {
    const reached = slot ?? forkPointSlot;
    if (reached !== null) this.metrics.slot.set(reached);
    if (forkPointSlot !== null) {
      this.metrics.reverts.inc();
      this.logger.warn(
        { forkPointSlot, slot: reached },
        'address trees are back before blocks that the chain has left',
      );
    }
    if (skippedRecords.length > 0) {
      this.metrics.skippedRecords.inc(skippedRecords.length);
      this.logger.warn(
        { records: skippedRecords.length, slot: skippedRecords[0].slot },
        'records of blocks off the branch are passed over',
      );
    }
  }

  /** Says once when a tree can no longer be served, and once when it can again. */
  private async reportServability(heads: readonly AddressTreeHead[]): Promise<void> {
    const slot = await this.store.findSlot();
    if (slot === null) return;
    for (const head of heads) {
      const tree = toBase58(head.info.tree);
      const refusal = refusalOf(head, slot, this.options.acceptTreeGaps);
      const code = refusal?.code ?? 'served';
      this.metrics.isServed.set({ tree }, refusal ? 0 : 1);
      this.metrics.seq.set({ tree }, Number(head.seq));
      if ((this.reported.get(tree) ?? 'served') === code) continue;
      this.reported.set(tree, code);
      const values = { tree, slot, seq: head.seq.toString(), reason: refusal?.sentence, fault: head.fault };
      if (!refusal) this.logger.info(values, 'address tree is served');
      else if (refusal.code === 'degraded') this.logger.error(values, 'address tree is closed');
      else this.logger.warn(values, 'address tree is not served');
    }
  }

  async proveNewAddresses(tree: Pubkey, addresses: readonly Hash[], minSlot: Slot): Promise<NewAddressProofs> {
    await this.waitFor(tree, minSlot);
    const proofs = await this.store.readProofs(tree, addresses);
    if (!proofs) throw new UnknownTreeError(tree);
    const { head, slot, items } = proofs;
    // A store that was emptied may be further back than was seen a moment ago.
    if (slot < minSlot) {
      throw new ProverUnavailableError(`the tree is applied up to slot ${slot}, ${minSlot} is asked for`);
    }
    const refusal = refusalOf(head, slot, this.options.acceptTreeGaps);
    if (refusal) throw new TreeNotServableError(refusal.sentence);
    return {
      slot,
      root: head.root,
      rootSeq: head.seq,
      items: items.map((item, at) => toProof(addresses[at], item)),
    };
  }

  /** The same slot reaches projector and prover moments apart. A tree that nobody knows may be about to become known. */
  private async waitFor(tree: Pubkey, minSlot: Slot): Promise<void> {
    const startedAt = performance.now();
    for (;;) {
      const slot = (await this.store.findTreeSlot(tree)) ?? (await this.store.findSlot());
      if (slot !== null && slot >= minSlot) return;
      if (performance.now() - startedAt > this.options.maxWaitMs) {
        throw new ProverUnavailableError(
          `address trees are applied up to slot ${slot ?? 'none'}, ${minSlot} is asked for`,
        );
      }
      await sleep(WAIT_STEP_MS);
    }
  }
}

function toProof(address: Hash, { low, siblings, exists }: TreeProof): NewAddressProof {
  if (!low || exists) throw new AddressExistsError(address);
  if (low.nextValue.compare(address) <= 0) {
    throw new TreeNotServableError('The elements around this address were not indexed.');
  }
  return {
    address,
    lowerRangeAddress: low.value,
    higherRangeAddress: low.nextValue,
    lowElementLeafIndex: low.index,
    nextIndex: low.nextIndex,
    proof: siblings,
  };
}
