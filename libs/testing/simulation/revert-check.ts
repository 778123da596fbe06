import {
  SLOT_EVENTS,
  type SlotEventsMessage,
  TREE_UPDATES,
  type TreeUpdatesMessage,
} from '@fresnel/contracts/messages';
import { blockKey } from '@fresnel/domain/chain';
import { type SimulatedBroker } from './simulated-broker';
import { type SimulatedChain } from './simulated-chain';

/**
 * Finds reverts of blocks that the chain has. A later adoption takes them back, so the end of a run does not show them. Nodes lack
 * blocks, but none gives a false finalized chain, so nothing that they answer is evidence for such a revert.
 */
export class RevertCheck {
  private readonly canonical: ReadonlySet<string>;
  /** The offset up to which records were checked, by topic and partition. */
  private readonly checked = new Map<string, bigint>();

  constructor(
    private readonly broker: SimulatedBroker,
    { parsed }: SimulatedChain,
  ) {
    this.canonical = new Set(parsed.map(blockKey));
  }

  /** Checks the records that are new. @returns what is wrong; null if nothing is */
  findFalseRevert(): string | null {
    const added = [TREE_UPDATES.name, SLOT_EVENTS.name].flatMap((topic) => this.newRecords(topic));
    const wrong = added.find((message) => message.kind === 'slot-reverted' && this.canonical.has(blockKey(message)));
    return wrong?.kind === 'slot-reverted' ? `block ${wrong.slot} is reverted, and the chain has it` : null;
  }

  private newRecords(topic: string): (SlotEventsMessage | TreeUpdatesMessage)[] {
    return this.broker.endsOf(topic).flatMap((end, partition) => {
      const key = `${topic} ${partition}`;
      const added = this.broker.recordsSince(topic, partition, this.checked.get(key) ?? 0n);
      this.checked.set(key, end);
      return added.map(({ message }) => message as SlotEventsMessage | TreeUpdatesMessage);
    });
  }
}
