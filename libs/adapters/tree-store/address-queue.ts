import { type Hash, keyOf } from '@fresnel/domain/primitives';
import { PositionQueue } from './position-queue';

/** Queued addresses or leaves by position, also found by value. */
export class AddressQueue extends PositionQueue<Hash> {
  private readonly addresses = new Set<string>();

  constructor() {
    super((address, copyHash) => copyHash(address));
  }

  has(address: Hash): boolean {
    return this.addresses.has(keyOf(address));
  }

  override put(position: bigint, address: Hash): void {
    super.put(position, address);
    this.addresses.add(keyOf(address));
  }

  protected override remove(position: bigint): void {
    const address = this.find(position);
    if (!address) return;
    super.remove(position);
    this.addresses.delete(keyOf(address));
  }
}
