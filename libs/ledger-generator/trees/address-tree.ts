import { type Hash, keyOf } from '@fresnel/domain/primitives';
import {
  type AddressTreeInfo,
  type AddressTreeType,
  genesisLeaves,
  genesisOf,
  hashElement,
  type IndexedElement,
  poseidon,
} from '@fresnel/domain/trees';
import { IndexedList, type Insertion } from './indexed-list';
import { MerkleTree } from './merkle-tree';

/** An insertion with the leaves that it writes. */
export interface HashedInsertion extends Insertion {
  lowHash: Hash;
  highHash: Hash;
}

/**
 * An address tree: a sorted list of addresses whose elements are leaves, and a queue before it.
 *
 * V1: a forester inserts single addresses in any order, two sequence numbers each. V2: a forester inserts a batch from
 * the head of the queue, one number for all.
 */
export class AddressTree {
  readonly nodes: MerkleTree;
  private readonly elements: IndexedList;
  private readonly waiting = new Map<string, Hash>();
  private taken = 0;
  private lastSeq: bigint;

  constructor(readonly info: AddressTreeInfo) {
    this.elements = new IndexedList(genesisOf(info.type).elements);
    this.nodes = new MerkleTree(info.height);
    this.nodes.write(genesisLeaves(info.type, poseidon));
    this.lastSeq = genesisOf(info.type).seq;
  }

  /** Number of the last operation. */
  get seq(): bigint {
    return this.lastSeq;
  }

  /** Leaf index of the next address. */
  get nextIndex(): number {
    return this.elements.length;
  }

  /** Addresses that were taken and are not in the tree yet, in the order in which they were taken. */
  get queue(): readonly Hash[] {
    return [...this.waiting.values()];
  }

  /** Queue position of the address after `ahead` others. */
  queuePositionAfter(ahead: number): bigint {
    return BigInt(this.taken + ahead);
  }

  isQueued(address: Hash): boolean {
    return this.waiting.has(keyOf(address));
  }

  /** Whether it is an element of the tree, as 0 always is. */
  has(address: Hash): boolean {
    return this.elements.has(address);
  }

  /** The element whose range the address lies in. */
  lowOf(address: Hash): IndexedElement {
    return this.elements.lowOf(address);
  }

  /** Every value in the tree, those of the untouched tree included. */
  values(): Hash[] {
    return this.elements.values();
  }

  enqueue(address: Hash): void {
    this.waiting.set(keyOf(address), address);
    this.taken++;
  }

  /** What inserting the addresses one by one would rewrite. */
  insertionsOf(addresses: readonly Hash[]): HashedInsertion[] {
    const list = this.elements.copy();
    return addresses.map((address) => hashed(this.info.type, list.insert(address)));
  }

  /** The root that the tree would have with these addresses. */
  rootAfter(addresses: readonly Hash[]): Hash {
    return this.nodes.rootAfter(leavesOf(this.insertionsOf(addresses)));
  }

  /** Takes the addresses out of the queue, if they are there, and inserts them one by one. */
  insert(addresses: readonly Hash[]): void {
    const insertions = addresses.map((address) => hashed(this.info.type, this.elements.insert(address)));
    for (const address of addresses) this.waiting.delete(keyOf(address));
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
