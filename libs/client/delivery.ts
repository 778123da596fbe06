import { type Message, type Rollback, type Transaction, type TransactionSummary } from './messages';

/** Where a subscription begins: a cursor, or a slot, which is included. */
export type From = string | { slot: number };

/**
 * Where a subscription continues after a cut, and what arrives a second time then.
 *
 * A server repeats what is above the slot of the cursor. Without a cursor it cannot say what was orphaned meanwhile, so until there is
 * one, a cut takes everything back and begins again.
 */
export class Delivery {
  /** By slot and index, how the transactions arrived that the cursor does not cover. */
  private readonly delivered = new Map<number, Map<number, 'transaction' | 'amended'>>();

  constructor(private position: From | undefined) {}

  /** For the next connection. Undefined: from now on. */
  get from(): From | undefined {
    return this.position;
  }

  /** To call when a connection has ended. Returns what the receiver has to forget, if there is no cursor yet. */
  restart(): Rollback | null {
    if (typeof this.position !== 'object' || this.delivered.size === 0) return null;
    this.delivered.clear();
    return { type: 'rollback', slot: this.position.slot - 1, blockhash: null };
  }

  /** Whether the receiver should get the message: false for a transaction that it has. An amended one replaces it. */
  accept(message: Message): boolean {
    switch (message.type) {
      case 'slot':
        this.position = message.cursor;
        this.forget((slot) => slot <= message.slot);
        return true;
      case 'rollback':
        this.startAt(message.slot + 1);
        this.forget((slot) => slot > message.slot);
        return true;
      case 'transaction':
      case 'amended':
        this.startAt(message.slot);
        return this.add(message);
    }
  }

  /** A subscription that began "from now on" continues at the first slot that it has heard of. */
  private startAt(slot: number): void {
    if (typeof this.position === 'string') return;
    if (!this.position || slot < this.position.slot) this.position = { slot };
  }

  private add({ slot, index, type }: Transaction | TransactionSummary): boolean {
    const arrived = this.delivered.get(slot) ?? new Map<number, 'transaction' | 'amended'>();
    const known = arrived.get(index);
    if (known === 'amended' || known === type) return false;
    this.delivered.set(slot, arrived.set(index, type));
    return true;
  }

  private forget(isForgotten: (slot: number) => boolean): void {
    for (const slot of this.delivered.keys()) if (isForgotten(slot)) this.delivered.delete(slot);
  }
}
