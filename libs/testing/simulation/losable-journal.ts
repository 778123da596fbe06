import { InMemoryTreeJournal } from '@fresnel/adapters/tree-store';
import { type Fault, type Scheduler } from './scheduler';

/** A journal that fails over to a copy without its last commits. */
export class LosableJournal extends InMemoryTreeJournal {
  /** The slots of the states that can be returned to, oldest first. */
  private slots: number[] = [-1];

  override async persist(entry: Parameters<InMemoryTreeJournal['persist']>[0]): Promise<void> {
    await super.persist(entry);
    this.slots = [...this.slots, entry.block?.slot ?? -1].slice(-(this.losable + 1));
  }

  override lose(entries: number): void {
    super.lose(entries);
    this.slots = this.slots.slice(0, this.slots.length - entries);
  }

  /** Loses a revert if one of the last commits is one, which makes proofs of the orphaned branch valid again; else a commit or two. */
  faultOf(scheduler: Scheduler, probability: number): Fault {
    const happen = () => {
      const any = scheduler.pickForFault([0, 0, 1, 2]);
      const newest = this.slots.at(-1) ?? -1;
      const beforeRevert = this.slots.findLastIndex((slot) => slot > newest);
      const lost = beforeRevert < 0 ? Math.min(any, this.losable) : this.slots.length - 1 - beforeRevert;
      if (lost === 0) return null;
      this.lose(lost);
      return `the trees lose ${lost} commits`;
    };
    return { name: 'failover', probability, happen };
  }
}
