import { type Hash, type Hasher, keyOf, ZERO_HASH } from '@fresnel/domain/primitives';
import { type TreeInfo, zeroSubtrees } from '@fresnel/domain/trees';
import { type EventFacts } from '@fresnel/ledger-generator';

/** The leaves of one state tree, computed from the facts of a ledger in the simplest way. */
export class StateTreeReplica {
  /** By leaf index; missing ones are zero. */
  readonly leaves = new Map<number, Hash>();
  seq = 0n;
  /** Number of appended leaves. */
  nextIndex = 0;
  private readonly outputs: Hash[] = [];
  private readonly inputs: { leafIndex: number; nullifier: Hash }[] = [];
  /** Number of nullifiers that were written to leaves. */
  private written = 0;

  constructor(
    readonly info: TreeInfo,
    private readonly hasher: Hasher,
  ) {}

  /** Applies an event to the tree, if it concerns the tree. */
  apply(event: EventFacts): void {
    if (event.kind === 'transition') {
      for (const { account, nullification } of event.inputs) {
        const { tree, leafIndex } = account;
        if (this.isOf(tree.tree) && nullification) this.inputs.push({ leafIndex, nullifier: nullification.nullifier });
      }
      for (const { tree, leafIndex, hash } of event.outputs) if (this.isOf(tree.tree)) this.create(leafIndex, hash);
      return;
    }
    if (event.kind === 'leaf-migrated') {
      const { tree, account, target, targetLeafIndex } = event;
      if (this.isOf(tree)) this.nullify([account.leafIndex]);
      if (this.isOf(target.tree)) this.create(targetLeafIndex, account.hash);
      return;
    }
    if (!this.isOf(event.tree)) return;
    if (event.kind === 'leaves-nullified') this.nullify(event.leafIndices);
    if (event.kind === 'outputs-appended') this.append(event.oldNextIndex, event.newNextIndex);
    if (event.kind === 'inputs-nullified') this.writeNullifiers(event.oldNextIndex, event.newNextIndex);
  }

  /** The positions that wait in the queues; none in a V1 tree. */
  queues(): Record<'queue' | 'inputQueue', { start: bigint; end: bigint }> {
    const isV2 = this.info.type === 'stateV2';
    return {
      queue: { start: BigInt(isV2 ? this.nextIndex : 0), end: BigInt(this.outputs.length) },
      inputQueue: { start: BigInt(this.written), end: BigInt(this.inputs.length) },
    };
  }

  /** The root, of all nodes above leaves. */
  root(): Hash {
    let nodes: ReadonlyMap<number, Hash> = this.leaves;
    const zeros = zeroSubtrees(this.hasher);
    for (let level = 0; level < this.info.height; level++) {
      const node = (index: number) => nodes.get(index) ?? zeros[level];
      const parents = new Set(Array.from(nodes.keys(), (index) => Math.floor(index / 2)));
      nodes = new Map(
        Array.from(parents, (parent) => [parent, this.hasher([node(2 * parent), node(2 * parent + 1)])] as const),
      );
    }
    return nodes.get(0) ?? zeros[this.info.height];
  }

  private isOf(tree: TreeInfo['tree']): boolean {
    return keyOf(tree) === keyOf(this.info.tree);
  }

  private create(leafIndex: number, hash: Hash): void {
    if (this.info.type === 'stateV2') {
      this.outputs[leafIndex] = hash;
      return;
    }
    this.leaves.set(leafIndex, hash);
    this.nextIndex = leafIndex + 1;
    this.seq++;
  }

  private nullify(leafIndices: readonly number[]): void {
    for (const leafIndex of leafIndices) this.leaves.set(leafIndex, ZERO_HASH);
    this.seq += BigInt(leafIndices.length);
  }

  /** A leaf that is nullified already keeps its nullifier. */
  private append(from: number, to: number): void {
    for (let index = from; index < to; index++) {
      if (!this.leaves.has(index)) this.leaves.set(index, this.outputs[index]);
    }
    this.nextIndex = to;
    this.seq++;
  }

  private writeNullifiers(from: number, to: number): void {
    for (const { leafIndex, nullifier } of this.inputs.slice(from, to)) this.leaves.set(leafIndex, nullifier);
    this.written = to;
    this.seq++;
  }
}
