import { type Bus } from '@fresnel/adapters/bus';
import {
  PROJECTOR_GROUP,
  PROVER_GROUP,
  SLOT_EVENTS,
  type SlotAdopted,
  type SlotReverted,
  TREE_UPDATES,
} from '@fresnel/contracts/messages';
import { type FollowMetrics } from './follow.metrics';

/** Publishes reverts and adoptions of blocks, and waits until consumers have applied them. */
export class SlotReverter {
  constructor(
    private readonly bus: Bus,
    private readonly metrics: FollowMetrics,
  ) {}

  /**
   * Resolves once all consumers have reverted the slots, and have applied everything published before.
   *
   * @param reverted newest first; a revert that consumers have already applied changes nothing
   */
  async revert(reverted: readonly SlotReverted[], signal: AbortSignal): Promise<void> {
    await this.publish(reverted, signal);
    this.metrics.revertedSlots.inc(reverted.length);
  }

  /**
   * Resolves once all consumers accept the blocks again. An ingest that is killed before finds the reverts in a topic, has
   * consumers finish them, and adopts the blocks when it reads them again.
   *
   * @param adopted oldest first
   */
  async adopt(adopted: readonly SlotAdopted[], signal: AbortSignal): Promise<void> {
    await this.publish(adopted, signal);
    this.metrics.adoptedSlots.inc(adopted.length);
  }

  /**
   * Trees come before tables. So after a crash, every slot that still has to be reverted is found in the tables or in their
   * topic.
   */
  private async publish(messages: readonly (SlotReverted | SlotAdopted)[], signal: AbortSignal): Promise<void> {
    await this.bus.publish(TREE_UPDATES, messages, signal);
    await this.bus.waitUntilApplied(TREE_UPDATES, PROVER_GROUP, signal);
    await this.bus.publish(SLOT_EVENTS, messages, signal);
    await this.bus.waitUntilApplied(SLOT_EVENTS, PROJECTOR_GROUP, signal);
  }
}
