import { type TreeUpdatesMessage } from '@fresnel/contracts/messages';
import { type Hash, type Slot, toSlot } from '@fresnel/domain/primitives';
import { type AddressTreeChange } from '@fresnel/domain/trees';
import { blockhashAt } from '@fresnel/testing/chain';
import { AddressTreeModel, sha256, testAddress, testAddressTree } from '@fresnel/testing/address-trees';

/** What one block does. */
export interface BlockPlan {
  /** Slots before it that have no block. */
  skipped: number;
  /** Addresses that enter the V1 tree. */
  inserted: number;
  /** Addresses that begin to wait for the V2 tree. */
  queued: number;
  /** How many of those that wait enter it, if so many wait. */
  batched: number;
}

interface Tip {
  slot: Slot;
  blockhash: Hash;
}

/** What ingest tells of a chain with two address trees that takes wrong turns and leaves them again. Its first block names both. */
export class ForkedTrees {
  /** All of it, in order. */
  readonly published: TreeUpdatesMessage[] = [];
  /** The blocks that stayed, and nothing else. */
  readonly kept: TreeUpdatesMessage[] = [];
  /** The trees where they stayed: V1 and V2. */
  private models = [testAddressTree('addressV1'), testAddressTree('addressV2')].map(
    (info) => new AddressTreeModel(info, sha256),
  );
  private tip: Tip = { slot: toSlot(100), blockhash: blockhashAt(100) };
  private used = 0;
  private turns = 0;

  constructor() {
    this.extend([{ skipped: 0, inserted: 0, queued: 0, batched: 0 }]);
  }

  /** Goes on for good. */
  extend(plans: readonly BlockPlan[]): this {
    const blocks = this.build(plans, this.models, `way ${this.turns}`);
    for (const { messages, ...tip } of blocks) {
      this.published.push(...messages);
      this.kept.push(...messages);
      this.tip = tip;
    }
    return this;
  }

  /** Goes on for some blocks, and takes them back. The same addresses are free again for what comes then. */
  appendOrphaned(plans: readonly BlockPlan[]): this {
    const { used } = this;
    this.turns++;
    const models = this.models.map((model) => model.fork());
    const blocks = this.build(plans, models, `turn ${this.turns}`);
    const forkPoint = this.tip;
    for (const { messages } of blocks) this.published.push(...messages);
    for (const { slot, blockhash } of blocks.reverse()) {
      this.published.push({ kind: 'slot-reverted', slot, blockhash, forkPoint: forkPoint });
    }
    // Not all transactions come again, and not in the same order.
    this.used = used + (this.turns % 3);
    return this;
  }

  /** Tells some things again, as a second ingest does that lags behind. */
  repeat(places: readonly number[]): this {
    const again = places.map((place) => this.published[place % this.published.length]);
    if (this.published.length > 0) this.published.push(...again);
    return this;
  }

  private build(plans: readonly BlockPlan[], models: readonly AddressTreeModel[], branch: string) {
    let parent = this.tip;
    return plans.map((plan) => {
      const slot = toSlot(parent.slot + 1 + plan.skipped);
      const links = { parentSlot: parent.slot, parentBlockhash: parent.blockhash };
      const block = { slot, blockhash: blockhashAt(slot, branch), ...links };
      const messages = this.act(plan, models).map(([model, changes]): TreeUpdatesMessage => ({
        kind: 'update',
        update: { ...model.tell(slot, ...changes), ...block },
      }));
      messages.push({ kind: 'watermark', ...block });
      parent = { slot, blockhash: block.blockhash };
      return { ...parent, messages };
    });
  }

  private act(
    { inserted, queued, batched }: BlockPlan,
    [v1, v2]: readonly AddressTreeModel[],
  ): [AddressTreeModel, AddressTreeChange[]][] {
    const inV1 = inserted > 0 ? [v1.insert(...this.take(inserted))] : [];
    const inV2: AddressTreeChange[] = v2.enqueue(...this.take(queued));
    const waiting = Number(v2.queueEnd) - (v2.nextIndex - 1);
    if (batched > 0 && waiting >= batched) inV2.push(v2.batch(batched));
    const all: [AddressTreeModel, AddressTreeChange[]][] = [
      [v1, inV1],
      [v2, inV2],
    ];
    return all.filter(([, changes]) => changes.length > 0 || this.kept.length === 0);
  }

  private take(count: number): Hash[] {
    return Array.from({ length: count }, () => testAddress(this.used++));
  }
}
