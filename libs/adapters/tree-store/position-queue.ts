import { type Hash, keyOf, ownBytes } from '@fresnel/domain/primitives';
import { type QueuedNullifier } from '@fresnel/domain/trees';

/** Queue entries by position. Positions are consecutive, except in a recording with gaps. */
export class PositionQueue<Entry> {
  private readonly byPosition = new Map<bigint, Entry>();
  /** No position is below `start`; all are below `end`. */
  private start = 0n;
  private end = 0n;

  /** @param copyOf copies an entry with its hashes, which share some kilobytes of memory with a message, a database row or other small buffers */
  constructor(private readonly copyOf: (entry: Entry) => Entry) {}

  find(position: bigint): Entry | undefined {
    return this.byPosition.get(position);
  }

  /** The first `limit` entries from `from` inclusive to `to` exclusive. */
  read(from: bigint, to: bigint, limit = Infinity): Map<bigint, Entry> {
    const found = new Map<bigint, Entry>();
    const [first, last] = [from > this.start ? from : this.start, to < this.end ? to : this.end];
    for (let position = first; position < last && found.size < limit; position++) {
      const entry = this.byPosition.get(position);
      if (entry !== undefined) found.set(position, entry);
    }
    return found;
  }

  put(position: bigint, entry: Entry): void {
    if (this.byPosition.size === 0) [this.start, this.end] = [position, position];
    if (position < this.start) this.start = position;
    if (position >= this.end) this.end = position + 1n;
    this.byPosition.set(position, this.copyOf(entry));
  }

  /** Removes the entries before a position. */
  removeBefore(position: bigint): void {
    if (position <= this.start) return;
    this.removeRange(this.start, position < this.end ? position : this.end);
    this.start = position;
  }

  /** Removes the entries from a position on. */
  removeFrom(position: bigint): void {
    if (position >= this.end) return;
    this.removeRange(position > this.start ? position : this.start, this.end);
    this.end = position;
  }

  /** Removes one entry. */
  protected remove(position: bigint): void {
    this.byPosition.delete(position);
  }

  private removeRange(from: bigint, to: bigint): void {
    if (to - from > BigInt(this.byPosition.size)) {
      for (const position of this.byPosition.keys()) if (position >= from && position < to) this.remove(position);
    } else {
      for (let position = from; position < to; position++) this.remove(position);
    }
  }
}

/** Queued addresses or leaves by position, also found by value. */
export class AddressQueue extends PositionQueue<Hash> {
  private readonly addresses = new Set<string>();

  constructor() {
    super(ownBytes);
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

/** An input queue. */
export function createNullifierQueue(): PositionQueue<QueuedNullifier> {
  return new PositionQueue<QueuedNullifier>(({ leafIndex, hash, txHash, nullifier }) => ({
    leafIndex,
    hash: ownBytes(hash),
    txHash: ownBytes(txHash),
    nullifier: ownBytes(nullifier),
  }));
}
