import { be32, type Hash, type Hasher, toPubkey, toSlot } from '@fresnel/domain/primitives';
import { type TreeUpdate } from '@fresnel/domain/state';
import {
  type LeafMigratedChange,
  type LeafQueuedChange,
  NodePages,
  type NullifierQueuedChange,
  type PageId,
  type QueuedNullifier,
  type StateBatchChange,
  type TreeChange,
  type TreeInfo,
} from '@fresnel/domain/trees';
import { testAddress } from '@fresnel/testing/address-trees';
import { blockLinkAt } from '@fresnel/testing/chain';

const TX_HASH = testAddress(90_000);

/** An empty state tree. */
export function testStateTree(type: 'stateV1' | 'stateV2' = 'stateV2'): TreeInfo {
  const key = toPubkey(Buffer.alloc(32, type === 'stateV1' ? 0x61 : 0x62));
  const observed = { slot: toSlot(0), seq: 0n, nextIndex: 0n, queueEnd: 0n, inputQueueEnd: 0n, root: null };
  const height = type === 'stateV1' ? 26 : 32;
  return { tree: key, queue: key, type, height, rootHistoryCapacity: 60, owner: null, observed };
}

/** A simple model of a V2 state tree on the chain. Its methods change the tree and return the change. */
export class StateTreeModel {
  readonly info = testStateTree();
  /** Values of leaves that were written. */
  readonly leaves = new Map<number, Hash>();
  readonly outputs: Hash[] = [];
  readonly inputs: QueuedNullifier[] = [];
  seq = 0n;
  appended = 0;
  nullified = 0;

  constructor(private readonly hasher: Hasher) {}

  get nodes(): NodePages {
    return this.build().nodes;
  }

  get root(): Hash {
    return this.build().root;
  }

  /** Accounts enter the output queue. */
  queue(count: number): LeafQueuedChange[] {
    return Array.from({ length: count }, () => {
      const leafIndex = this.outputs.length;
      const hash = testAddress(10_000 + leafIndex);
      this.outputs.push(hash);
      return { kind: 'leaf-queued', leafIndex, hash };
    });
  }

  /** Leaves of V1 trees enter the output queue. */
  migrate(count: number): LeafMigratedChange[] {
    return this.queue(count).map(({ hash }) => ({ kind: 'leaf-migrated', hash }));
  }

  /** Accounts enter the input queue. */
  consume(...leafIndices: number[]): NullifierQueuedChange[] {
    return leafIndices.map((leafIndex) => {
      const [hash, txHash] = [this.outputs[leafIndex], TX_HASH];
      const queueIndex = BigInt(this.inputs.length);
      this.inputs.push({ leafIndex, hash, txHash, nullifier: this.hasher([hash, be32(leafIndex), txHash]) });
      return { kind: 'nullifier-queued', queueIndex, leafIndex, hash, txHash };
    });
  }

  /** A batch leaves the output queue. */
  append(count: number): StateBatchChange {
    const oldNextIndex = BigInt(this.appended);
    for (let end = this.appended + count; this.appended < end; this.appended++) {
      if (!this.leaves.has(this.appended)) this.leaves.set(this.appended, this.outputs[this.appended]);
    }
    return this.batch('append-batch', oldNextIndex, BigInt(this.appended));
  }

  /** A batch leaves the input queue. */
  nullify(count: number): StateBatchChange {
    const oldNextIndex = BigInt(this.nullified);
    for (let end = this.nullified + count; this.nullified < end; this.nullified++) {
      const { leafIndex, nullifier } = this.inputs[this.nullified];
      this.leaves.set(leafIndex, nullifier);
    }
    return this.batch('nullify-batch', oldNextIndex, BigInt(this.nullified));
  }

  updateAt(slot: number, ...changes: TreeChange[]): TreeUpdate {
    return { ...blockLinkAt(slot), tree: this.info, changes };
  }

  private batch(kind: StateBatchChange['kind'], oldNextIndex: bigint, newNextIndex: bigint): StateBatchChange {
    return { kind, seq: ++this.seq, oldNextIndex, newNextIndex, newRoot: this.root };
  }

  private build(): { nodes: NodePages; root: Hash } {
    const pages = new Map<PageId, Buffer>();
    const nodes = new NodePages((id) => pages.get(id), this.hasher);
    return { nodes, root: nodes.writeLeaves(this.leaves, this.info.height) };
  }
}
