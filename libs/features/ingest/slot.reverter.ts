import { type Bus } from '@fresnel/adapters/bus';
import {
  PROJECTOR_GROUP,
  PROVER_GROUP,
  SLOT_EVENTS,
  type SlotReverted,
  TREE_UPDATES,
} from '@fresnel/contracts/messages';
import { type IngestMetrics } from './ingest.metrics';

/** Has consumers take slots back. */
export class SlotReverter {
  constructor(
    private readonly bus: Bus,
    private readonly metrics: IngestMetrics,
  ) {}

  /**
   * Settles when all consumers have taken the slots back, and applied all that was published before.
   *
   * Trees first, and tables only when trees are done: what is left to take back after a crash is then in the tables, or in
   * their topic.
   *
   * @param reverted newest first; again those that consumers took back before do no harm
   */
  async revert(reverted: readonly SlotReverted[], signal: AbortSignal): Promise<void> {
    await this.bus.publish(TREE_UPDATES, reverted, signal);
    await this.bus.waitUntilApplied(TREE_UPDATES, PROVER_GROUP, signal);
    await this.bus.publish(SLOT_EVENTS, reverted, signal);
    await this.bus.waitUntilApplied(SLOT_EVENTS, PROJECTOR_GROUP, signal);
    this.metrics.revertedSlots.inc(reverted.length);
  }
}
