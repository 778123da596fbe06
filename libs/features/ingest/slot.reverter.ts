import { type Bus } from '@fresnel/adapters/bus';
import {
  PROJECTOR_GROUP,
  PROVER_GROUP,
  SLOT_EVENTS,
  type SlotReverted,
  TREE_UPDATES,
} from '@fresnel/contracts/messages';
import { type IngestMetrics } from './ingest.metrics';

/** Publishes reverts of slots, and waits until consumers have applied them. */
export class SlotReverter {
  constructor(
    private readonly bus: Bus,
    private readonly metrics: IngestMetrics,
  ) {}

  /**
   * Resolves once all consumers have reverted the slots, and have applied everything published before.
   *
   * Trees are reverted before tables. So after a crash, every slot that still has to be reverted is found in the tables or
   * in their topic.
   *
   * @param reverted newest first; a revert that consumers have already applied changes nothing
   */
  async revert(reverted: readonly SlotReverted[], signal: AbortSignal): Promise<void> {
    await this.bus.publish(TREE_UPDATES, reverted, signal);
    await this.bus.waitUntilApplied(TREE_UPDATES, PROVER_GROUP, signal);
    await this.bus.publish(SLOT_EVENTS, reverted, signal);
    await this.bus.waitUntilApplied(SLOT_EVENTS, PROJECTOR_GROUP, signal);
    this.metrics.revertedSlots.inc(reverted.length);
  }
}
