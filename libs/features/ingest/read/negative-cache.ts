import { keyOf, type Pubkey, type Slot } from '@fresnel/domain/primitives';

/**
 * Accounts that were not trees at some slot. An account may become a tree later, so an entry says nothing about later
 * slots.
 */
export class NegativeCache {
  /** The slot of each account, by key. Oldest entry first. */
  private readonly slots = new Map<string, Slot>();

  /** @param capacity maximum number of accounts; the oldest entries are removed */
  constructor(private readonly capacity: number) {}

  /** @param slot the account is not a tree at this slot */
  add(account: Pubkey, slot: Slot): void {
    const key = keyOf(account);
    this.slots.delete(key);
    this.slots.set(key, slot);
    for (const oldest of this.slots.keys()) {
      if (this.slots.size <= this.capacity) return;
      this.slots.delete(oldest);
    }
  }

  /** Whether it is known that the account was not a tree at a slot. */
  has(account: Pubkey, slot: Slot): boolean {
    const known = this.slots.get(keyOf(account));
    return known !== undefined && known >= slot;
  }

  clear(): void {
    this.slots.clear();
  }
}
