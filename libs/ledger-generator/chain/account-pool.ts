import { keyOf } from '@fresnel/domain/primitives';
import { type CreatedAccount } from '../facts';
import { type Random } from '../random';

/** Maximum number of accounts that one search examines, so that large pools stay fast. */
const SEARCH_LIMIT = 512;

/** Live accounts for random selection. */
export class AccountPool {
  private readonly accounts: CreatedAccount[] = [];
  private readonly positions = new Map<string, number>();

  add(account: CreatedAccount): void {
    this.positions.set(keyOf(account.hash), this.accounts.push(account) - 1);
  }

  /** Moves the last account to the place of the removed one. */
  remove(account: CreatedAccount): void {
    const position = this.positions.get(keyOf(account.hash));
    const last = this.accounts.at(-1);
    if (position === undefined || !last) return;
    this.accounts[position] = last;
    this.positions.set(keyOf(last.hash), position);
    this.accounts.pop();
    this.positions.delete(keyOf(account.hash));
  }

  /** A random account that matches, null when the search finds none. */
  draw(random: Random, matches: (account: CreatedAccount) => boolean): CreatedAccount | null {
    return this.drawSome(random, 1, matches).at(0) ?? null;
  }

  /** Up to `count` distinct accounts that match. */
  drawSome(random: Random, count: number, matches: (account: CreatedAccount) => boolean): CreatedAccount[] {
    const { length } = this.accounts;
    const start = length > 0 ? random.below(length) : 0;
    const found: CreatedAccount[] = [];
    for (let i = 0; i < Math.min(length, SEARCH_LIMIT) && found.length < count; i++) {
      const account = this.accounts[(start + i) % length];
      if (matches(account)) found.push(account);
    }
    return found;
  }
}
