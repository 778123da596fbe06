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
import { type TreeCommit, type TreeProof, type TreeStore } from '@fresnel/adapters/tree-store';
import { StalePositionError, TREE_UPDATES, type TreeUpdatesMessage } from '@fresnel/contracts/messages';
import { type Hash, type Hasher, keyOf, type Pubkey, type Slot, toBase58 } from '@fresnel/domain/primitives';
import { type TreeUpdate } from '@fresnel/domain/state';
import { type AddressTreeHead, refusalOf } from '@fresnel/domain/trees';
import { type Logger } from '@fresnel/platform';
import { AddressTreeWriter } from './address-tree.writer';
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

/** Keeps address trees up to date and proves from them that addresses are new. */
export class ProverService implements ProverClient {
  /** Trees whose refusal was said in the log, by reason. */
  private readonly reported = new Map<string, string>();
  /** Of the partitions that this process holds. */
  private readonly epochs = new Map<number, bigint>();

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
    await this.report(await this.store.listHeads());
    const takePartition = (partition: number, count: number) => this.takePartition(partition, count);
    const onBatch = (batch: Batch<TreeUpdatesMessage>) => this.applyBatch(batch);
    await this.bus.consume(
      { group: 'prover', topic: TREE_UPDATES, maxBatch: MAX_BATCH, takePartition, onBatch },
      signal,
    );
  }

  private async takePartition(partition: number, partitionCount: number): Promise<bigint | null> {
    const { offset, epoch } = await this.store.takePosition(partition, partitionCount);
    this.epochs.set(partition, epoch);
    return offset;
  }

  private async applyBatch({ partition, from, to, messages }: Batch<TreeUpdatesMessage>): Promise<void> {
    const epoch = this.epochs.get(partition);
    if (epoch === undefined) throw new StalePositionError(`partition ${partition} was not taken`);
    const trees: TreeCommit[] = [];
    for (const updates of groupByTree(messages)) {
      trees.push(await AddressTreeWriter.apply(updates, this.store, this.hasher, this.options.acceptTreeGaps));
    }
    const slot = slotReached(messages);
    await this.store.commit({ trees, slot, position: { partition, epoch, from, to } });
    if (slot !== null) this.metrics.slot.set(slot);
    await this.report(trees.map(({ head }) => head));
  }

  /** Says once when a tree can no longer be served, and once when it can again. */
  private async report(heads: readonly AddressTreeHead[]): Promise<void> {
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

function toProof(address: Hash, { low, siblings, isTaken }: TreeProof): NewAddressProof {
  if (!low || isTaken) throw new AddressExistsError(address);
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

function groupByTree(messages: readonly TreeUpdatesMessage[]): Iterable<TreeUpdate[]> {
  const groups = new Map<string, TreeUpdate[]>();
  for (const message of messages) {
    if (message.kind !== 'update') continue;
    const key = keyOf(message.update.tree.tree);
    const group = groups.get(key);
    if (group) group.push(message.update);
    else groups.set(key, [message.update]);
  }
  return groups.values();
}

function slotReached(messages: readonly TreeUpdatesMessage[]): Slot | null {
  const last = messages.findLast((message) => message.kind === 'slot-reached');
  return last?.kind === 'slot-reached' ? last.slot : null;
}
