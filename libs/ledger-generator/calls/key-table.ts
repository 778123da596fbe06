import { keyOf, type Pubkey } from '@fresnel/domain/primitives';

/** Keys in the order of their first mention; instructions name them by that position. */
export class KeyTable {
  private readonly positions = new Map<string, number>();
  readonly keys: Pubkey[] = [];

  /** The key's position; a new key goes to the end. */
  positionOf(key: Pubkey): number {
    const known = this.positions.get(keyOf(key));
    if (known !== undefined) return known;
    this.positions.set(keyOf(key), this.keys.length);
    return this.keys.push(key) - 1;
  }
}
