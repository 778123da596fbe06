import { type Hash, keyOf } from '@fresnel/domain/primitives';

/** Queued addresses by position. Positions are consecutive, except in a recording with gaps. */
export class AddressQueue {
  private readonly byPosition = new Map<bigint, Hash>();
  private readonly addresses = new Set<string>();
  /** No position is below `start`; all are below `end`. */
  private start = 0n;
  private end = 0n;

  find(position: bigint): Hash | undefined {
    return this.byPosition.get(position);
  }

  has(address: Hash): boolean {
    return this.addresses.has(keyOf(address));
  }

  put(position: bigint, address: Hash): void {
    if (this.byPosition.size === 0) [this.start, this.end] = [position, position];
    if (position < this.start) this.start = position;
    if (position >= this.end) this.end = position + 1n;
    this.byPosition.set(position, address);
    this.addresses.add(keyOf(address));
  }

  /** Removes the addresses before a position. */
  removeBefore(position: bigint): void {
    if (position <= this.start) return;
    this.removeRange(this.start, position < this.end ? position : this.end);
    this.start = position;
  }

  /** Removes the addresses from a position on. */
  removeFrom(position: bigint): void {
    if (position >= this.end) return;
    this.removeRange(position > this.start ? position : this.start, this.end);
    this.end = position;
  }

  private removeRange(from: bigint, to: bigint): void {
    if (to - from > BigInt(this.byPosition.size)) {
      for (const position of this.byPosition.keys()) if (position >= from && position < to) this.remove(position);
    } else {
      for (let position = from; position < to; position++) this.remove(position);
    }
  }

  private remove(position: bigint): void {
    const address = this.byPosition.get(position);
    if (!address) return;
    this.byPosition.delete(position);
    this.addresses.delete(keyOf(address));
  }
}
