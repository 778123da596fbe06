import { hash } from 'node:crypto';
import { poseidon, poseidonBatch, poseidonSeries } from '@fresnel/domain/poseidon';
import {
  HASH_BYTES,
  type Hash,
  type Hasher,
  hashInSeries,
  parsePubkey,
  toSlot,
  type TreeHasher,
} from '@fresnel/domain/primitives';
import { type TreeUpdate } from '@fresnel/domain/state';
import {
  type AddressBatchChange,
  type AddressInsertChange,
  type AddressQueuedChange,
  type AddressTreeChange,
  type AddressTreeInfo,
  type AddressTreeType,
  type AddressUpdate,
  initialStateOf,
  hashElement,
  type IndexedElement,
  type NodePages,
  type TreeObservation,
  zeroSubtrees,
} from '@fresnel/domain/trees';
import { blockLinkAt } from '../chain/fake-chain';

/** A fast hasher for tests that only compare roots with each other. */
export const sha256: Hasher = (inputs) => hash('sha256', Buffer.concat(inputs), 'buffer') as Hash;

/** Hashes a batch one by one. */
export function treeHasherOf(hash: Hasher): TreeHasher {
  const hashBatch = (arity: number, inputs: Buffer) => {
    const input = (at: number) => inputs.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES);
    const groups = Array.from({ length: inputs.length / HASH_BYTES / arity }, (_, group) =>
      Array.from({ length: arity }, (_, at) => input(group * arity + at)),
    );
    return Promise.resolve(Buffer.concat(groups.map(hash)));
  };
  return { hash, hashBatch, hashSeries: (series) => Promise.resolve(hashInSeries(series, hash)) };
}

/** Hashes on the calling thread. */
export const poseidonInline: TreeHasher = {
  hash: poseidon,
  hashBatch: (arity, inputs) => Promise.resolve(poseidonBatch(arity, inputs)),
  hashSeries: (series) => Promise.resolve(poseidonSeries(series)),
};

/** Address number `number`. The addresses are not sorted. */
export function testAddress(number: number): Hash {
  const address = sha256([Buffer.from(String(number))]);
  address[0] = 0;
  return address;
}

const KEYS = {
  addressV1: parsePubkey('amt1Ayt45jfbdw5YSo7iz6WZxUmnZsQTYXy82hVwyC2'),
  addressV2: parsePubkey('amt2kaJA14v3urZbZvnc5v2np8jqvc4Z8zDep5wbtzx'),
} as const;

/** A tree that was observed in its initial state, with an unknown root. `observed` overrides that. */
export function testAddressTree(type: AddressTreeType, observed: Partial<TreeObservation> = {}): AddressTreeInfo {
  const { seq, nextIndex } = initialStateOf(type);
  return {
    tree: KEYS[type],
    queue: KEYS[type],
    type,
    height: type === 'addressV1' ? 26 : 40,
    rootHistoryCapacity: 120,
    owner: null,
    observed: {
      slot: toSlot(0),
      seq,
      nextIndex: BigInt(nextIndex),
      queueEnd: 0n,
      inputQueueEnd: 0n,
      root: null,
      ...observed,
    },
  };
}

/** A simple model of an address tree on the chain. Its methods change the tree and return the change. */
export class AddressTreeModel {
  private readonly elements: IndexedElement[];
  /** Nodes by level and index. Missing nodes are zero subtrees. */
  private readonly nodes = new Map<string, Hash>();
  /** Every address that was ever queued. */
  private readonly queue: Hash[] = [];
  seq: bigint;

  constructor(
    readonly info: AddressTreeInfo,
    private readonly hasher: Hasher,
  ) {
    const { elements, seq } = initialStateOf(info.type);
    this.elements = [...elements];
    this.seq = seq;
    for (const element of elements) this.write(element);
  }

  /** A copy of this tree, for another branch. */
  fork(): AddressTreeModel {
    const copy = new AddressTreeModel(this.info, this.hasher);
    copy.seq = this.seq;
    copy.elements.splice(0, copy.elements.length, ...this.elements);
    copy.queue.push(...this.queue);
    for (const [position, node] of this.nodes) copy.nodes.set(position, node);
    return copy;
  }

  get root(): Hash {
    return this.node(this.info.height, 0);
  }

  /** All elements, by leaf index. */
  get all(): readonly IndexedElement[] {
    return this.elements;
  }

  get nextIndex(): number {
    return this.elements.length;
  }

  get queueEnd(): bigint {
    return BigInt(this.queue.length);
  }

  /** AddressV1: inserts addresses. */
  insert(...addresses: Hash[]): AddressInsertChange {
    const seq = this.seq + 1n;
    this.seq += 2n * BigInt(addresses.length);
    return { kind: 'address-insert', seq, updates: addresses.map((address) => this.link(address)) };
  }

  /** AddressV2: queues addresses. */
  enqueue(...addresses: Hash[]): AddressQueuedChange[] {
    return addresses.map((address) => {
      this.queue.push(address);
      return { kind: 'address-queued', address, queueIndex: BigInt(this.queue.length - 1) };
    });
  }

  /** AddressV2: the next `count` addresses of the queue become leaves. */
  batch(count: number): AddressBatchChange {
    const from = this.nextIndex;
    for (const address of this.queue.slice(from - 1, from - 1 + count)) this.link(address);
    this.seq++;
    return {
      kind: 'address-batch',
      seq: this.seq,
      oldNextIndex: BigInt(from),
      newNextIndex: BigInt(from + count),
      newRoot: this.root,
    };
  }

  /** The update of this tree by the block at a slot of the main branch. */
  updateAt(slot: number, ...changes: AddressTreeChange[]): TreeUpdate {
    return { ...blockLinkAt(slot), tree: this.info, changes };
  }

  /** The element with the largest value below the address. */
  lowOf(address: Hash): IndexedElement {
    const below = this.elements.filter(({ value }) => value.compare(address) < 0);
    return below.reduce((a, b) => (a.value.compare(b.value) > 0 ? a : b));
  }

  siblingsOf(leafIndex: number): Hash[] {
    return Array.from({ length: this.info.height }, (_, level) =>
      this.node(level, Number((BigInt(leafIndex) >> BigInt(level)) ^ 1n)),
    );
  }

  private link(address: Hash): AddressUpdate {
    const below = this.lowOf(address);
    const high = { ...below, index: this.elements.length, value: address };
    const low = { ...below, nextIndex: high.index, nextValue: address };
    this.elements.push(high);
    this.elements[low.index] = low;
    return { low, lowHash: this.write(low), high, highHash: this.write(high) };
  }

  private write(element: IndexedElement): Hash {
    const leaf = hashElement(this.info.type, element, this.hasher);
    let index = element.index;
    this.nodes.set(`0/${index}`, leaf);
    for (let level = 0; level < this.info.height; level++) {
      index = Math.floor(index / 2);
      this.nodes.set(
        `${level + 1}/${index}`,
        this.hasher([this.node(level, index * 2), this.node(level, index * 2 + 1)]),
      );
    }
    return leaf;
  }

  private node(level: number, index: number): Hash {
    return this.nodes.get(`${level}/${index}`) ?? zeroSubtrees(this.hasher)[level];
  }
}

/** The siblings on the path of a leaf, leaf level first. @param pages all that are on the path */
export function siblingsOnPath(pages: Pick<NodePages, 'node'>, leafIndex: number, height: number): Hash[] {
  return Array.from({ length: height }, (_, level) => {
    const index = Math.floor(leafIndex / 2 ** level);
    return pages.node({ level, index: index % 2 === 0 ? index + 1 : index - 1 });
  });
}

/** Hashes a leaf up to a root. The bits of the leaf's index select left and right. */
export function rootOfProof(leaf: Hash, leafIndex: number, siblings: readonly Hash[], hasher: Hasher): Hash {
  return siblings.reduce((node, sibling, level) => {
    const isRight = ((BigInt(leafIndex) >> BigInt(level)) & 1n) === 1n;
    return hasher(isRight ? [sibling, node] : [node, sibling]);
  }, leaf);
}
