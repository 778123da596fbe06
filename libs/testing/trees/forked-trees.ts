import { type TreeUpdatesMessage } from '@fresnel/contracts/messages';
import { type Hash, type Slot, toSlot } from '@fresnel/domain/primitives';
import { type AddressTreeChange } from '@fresnel/domain/trees';
import { blockhashAt } from '@fresnel/testing/chain';
import { AddressTreeModel, sha256, testAddress, testAddressTree } from '@fresnel/testing/address-trees';
import { TreeRecords } from '@fresnel/testing/messages';

/** The contents of one block. */
export interface BlockPlan {
  /** Skipped slots before the block. */
  skipped: number;
  /** Addresses that the block inserts into the V1 tree. */
  inserted: number;
  /** Addresses that the block queues for the V2 tree. */
  queued: number;
  /** Size of the batch of queued addresses that the block inserts; none if fewer are queued. */
  batched: number;
}

interface Tip {
  slot: Slot;
  blockhash: Hash;
}

/** The tree updates that ingest publishes for a chain with two address trees and forks. The first block updates both trees. */
export class ForkedTrees {
  /** All messages, in order. */
  readonly published: TreeUpdatesMessage[] = [];
  /** The messages of the canonical blocks only. */
  readonly canonical: TreeUpdatesMessage[] = [];
  /** The trees on the canonical branch: V1 and V2. */
  private models = [testAddressTree('addressV1'), testAddressTree('addressV2')].map(
    (info) => new AddressTreeModel(info, sha256),
  );
  private tip: Tip = { slot: toSlot(100), blockhash: blockhashAt(100) };
  private readonly records = new TreeRecords();
  private used = 0;
  private forks = 0;

  constructor() {
    this.extend([{ skipped: 0, inserted: 0, queued: 0, batched: 0 }]);
  }

  /** Adds canonical blocks. */
  extend(plans: readonly BlockPlan[]): this {
    const blocks = this.build(plans, this.models, `canonical ${this.forks}`);
    for (const { messages, ...tip } of blocks) {
      this.published.push(...messages);
      this.canonical.push(...messages);
      this.tip = tip;
    }
    return this;
  }

  /** Adds blocks and reverts them. Their addresses can be inserted duplicates. */
  appendOrphaned(plans: readonly BlockPlan[]): this {
    const { used } = this;
    this.forks++;
    const models = this.models.map((model) => model.fork());
    const blocks = this.build(plans, models, `orphaned ${this.forks}`);
    const forkPoint = this.tip;
    for (const { messages } of blocks) this.published.push(...messages);
    for (const { slot, blockhash } of blocks.reverse()) {
      this.published.push({ kind: 'slot-reverted', slot, blockhash, forkPoint });
    }
    // Only some of the transactions land again, in another order.
    this.used = used + (this.forks % 3);
    return this;
  }

  /** Publishes some messages duplicates, like a second ingest that lags. */
  repeat(indexes: readonly number[]): this {
    const duplicates = indexes.map((index) => this.published[index % this.published.length]);
    if (this.published.length > 0) this.published.push(...duplicates);
    return this;
  }

  private build(plans: readonly BlockPlan[], models: readonly AddressTreeModel[], branch: string) {
    let parent = this.tip;
    return plans.map((plan) => {
      const slot = toSlot(parent.slot + 1 + plan.skipped);
      const links = { parentSlot: parent.slot, parentBlockhash: parent.blockhash };
      const block = { slot, blockhash: blockhashAt(slot, branch), ...links };
      const updates = this.applyPlan(plan, models).map(([model, changes]) => model.updateAt(slot, ...changes));
      const messages = this.records.of(block, updates);
      parent = { slot, blockhash: block.blockhash };
      return { ...parent, messages };
    });
  }

  private applyPlan(
    { inserted, queued, batched }: BlockPlan,
    [v1, v2]: readonly AddressTreeModel[],
  ): [AddressTreeModel, AddressTreeChange[]][] {
    const inV1 = inserted > 0 ? [v1.insert(...this.nextAddresses(inserted))] : [];
    const inV2: AddressTreeChange[] = v2.enqueue(...this.nextAddresses(queued));
    const queueLength = Number(v2.queueEnd) - (v2.nextIndex - 1);
    if (batched > 0 && queueLength >= batched) inV2.push(v2.batch(batched));
    const all: [AddressTreeModel, AddressTreeChange[]][] = [
      [v1, inV1],
      [v2, inV2],
    ];
    return all.filter(([, changes]) => changes.length > 0 || this.canonical.length === 0);
  }

  private nextAddresses(count: number): Hash[] {
    return Array.from({ length: count }, () => testAddress(this.used++));
  }
}
