import { keyOf, type Pubkey } from '@fresnel/domain/primitives';

/** Assigns positions to keys in the order of first use; instruction data refer to accounts by these positions. */
export class KeyTable {
  private readonly positions = new Map<string, number>();
  readonly keys: Pubkey[] = [];

  /** The key's position; a new key is appended. */
  positionOf(key: Pubkey): number {
    const existing = this.positions.get(keyOf(key));
    if (existing !== undefined) return existing;
    this.positions.set(keyOf(key), this.keys.length);
    return this.keys.push(key) - 1;
  }
}
