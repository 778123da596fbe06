import { type Hash, keyOf } from '@fresnel/domain/primitives';
import { poseidon } from '@fresnel/domain/poseidon';
import {
  type AddressTreeInfo,
  type AddressTreeType,
  initialLeaves,
  initialStateOf,
  hashElement,
  type IndexedElement,
} from '@fresnel/domain/trees';
import { IndexedList, type Insertion } from './indexed-list';
import { MerkleTree } from './merkle-tree';

/** An insertion with the hashes of the leaves that it writes. */
export interface HashedInsertion extends Insertion {
  lowHash: Hash;
  highHash: Hash;
}

/**
 * An address tree, an indexed Merkle tree, with its address queue.
 *
 * V1: a forester inserts single addresses in any order; each insertion uses two sequence numbers. V2: a forester inserts
 * a batch from the head of the queue; a batch uses one sequence number.
 */
export class AddressTree {
  readonly nodes: MerkleTree;
  private readonly elements: IndexedList;
  private readonly queued = new Map<string, Hash>();
  private enqueuedCount = 0;
  private lastSeq: bigint;

  constructor(readonly info: AddressTreeInfo) {
    this.elements = new IndexedList(initialStateOf(info.type).elements);
    this.nodes = new MerkleTree(info.height);
    this.nodes.write(initialLeaves(info.type, poseidon));
    this.lastSeq = initialStateOf(info.type).seq;
  }

  /** Sequence number of the last update. */
  get seq(): bigint {
    return this.lastSeq;
  }

  /** Leaf index of the next inserted address. */
  get nextIndex(): number {
    return this.elements.length;
  }

  /** Addresses that are not inserted yet, in the order of the queue. */
  get queue(): readonly Hash[] {
    return [...this.queued.values()];
  }

  /** Queue position of the address that is enqueued after `ahead` others. */
  queuePositionAfter(ahead: number): bigint {
    return BigInt(this.enqueuedCount + ahead);
  }

  isQueued(address: Hash): boolean {
    return this.queued.has(keyOf(address));
  }

  /** Whether the address is an element of the tree. 0 always is. */
  has(address: Hash): boolean {
    return this.elements.has(address);
  }

  /** The low element of an address: the one with the largest smaller value. */
  lowElementOf(address: Hash): IndexedElement {
    return this.elements.lowElementOf(address);
  }

  /** All values in the tree, including the initial ones. */
  values(): Hash[] {
    return this.elements.values();
  }

  enqueue(address: Hash): void {
    this.queued.set(keyOf(address), address);
    this.enqueuedCount++;
  }

  /** The insertions of the addresses in the given order, without performing them. */
  insertionsOf(addresses: readonly Hash[]): HashedInsertion[] {
    const list = this.elements.copy();
    return addresses.map((address) => hashed(this.info.type, list.insert(address)));
  }

  /** The root of the tree after inserting the addresses. */
  rootAfter(addresses: readonly Hash[]): Hash {
    return this.nodes.rootAfter(leavesOf(this.insertionsOf(addresses)));
  }

  /** Removes the addresses from the queue and inserts them in the given order. */
  insert(addresses: readonly Hash[]): void {
    const insertions = addresses.map((address) => hashed(this.info.type, this.elements.insert(address)));
    for (const address of addresses) this.queued.delete(keyOf(address));
    this.nodes.write(leavesOf(insertions));
    this.lastSeq += this.info.type === 'addressV1' ? 2n * BigInt(addresses.length) : 1n;
  }
}

function hashed(type: AddressTreeType, { low, high }: Insertion): HashedInsertion {
  return { low, high, lowHash: hashElement(type, low, poseidon), highHash: hashElement(type, high, poseidon) };
}

function leavesOf(insertions: readonly HashedInsertion[]): Map<number, Hash> {
  const leaves = insertions.flatMap(({ low, lowHash, high, highHash }): [number, Hash][] => [
    [low.index, lowHash],
    [high.index, highHash],
  ]);
  return new Map(leaves);
}
