import { type Hash } from '@fresnel/domain/primitives';
import { type TreeInfo } from '@fresnel/domain/trees';
import { type Nullification } from '../facts';
import { MerkleTree } from './merkle-tree';
import { type TreePosition } from './state-tree-v1';

/**
 * A V2 state tree: outputs and nullifiers wait in queues, and a forester moves a batch of one queue at a time.
 *
 * ```
 *  output queue   h0 h1 h2 h3 …       leaf index = position; appended: those before `appendedEnd`
 *  input queue    n0 n1 n2 …          each with the leaf index that it overwrites; `nullifiedEnd` likewise
 * ```
 *
 * A nullifier may reach the tree before the account it consumes. The append then leaves that leaf alone.
 */
export class StateTreeV2 {
  readonly nodes: MerkleTree;
  private readonly outputs: Hash[] = [];
  private readonly inputs: { leafIndex: number; nullifier: Hash }[] = [];
  private readonly nullifiedLeaves = new Set<number>();
  private appended = 0;
  private nullified = 0;
  private lastSeq = 0n;

  constructor(readonly info: TreeInfo) {
    this.nodes = new MerkleTree(info.height);
  }

  /** Number of the last batch. */
  get seq(): bigint {
    return this.lastSeq;
  }

  get appendedEnd(): number {
    return this.appended;
  }

  get nullifiedEnd(): number {
    return this.nullified;
  }

  get outputsWaiting(): number {
    return this.outputs.length - this.appended;
  }

  get inputsWaiting(): number {
    return this.inputs.length - this.nullified;
  }

  /** Where the account after `ahead` others will go. */
  positionAfter(ahead: number): TreePosition {
    return { leafIndex: this.outputs.length + ahead, seq: null };
  }

  /** Queue position of the nullifier after `ahead` others. */
  inputPositionAfter(ahead: number): bigint {
    return BigInt(this.inputs.length + ahead);
  }

  append(leaf: Hash): void {
    this.outputs.push(leaf);
  }

  consume(leafIndex: number, { nullifier }: Nullification): void {
    this.inputs.push({ leafIndex, nullifier });
  }

  /** Whether an account can be named by its index because it has not left the output queue. */
  isQueued(leafIndex: number): boolean {
    return leafIndex >= this.appended;
  }

  rootAfterAppend(count: number): Hash {
    return this.nodes.rootAfter(this.leavesToAppend(count));
  }

  appendBatch(count: number): void {
    this.nodes.write(this.leavesToAppend(count));
    this.appended += count;
    this.lastSeq++;
  }

  rootAfterNullify(count: number): Hash {
    return this.nodes.rootAfter(this.leavesToNullify(count));
  }

  nullifyBatch(count: number): void {
    const leaves = this.leavesToNullify(count);
    this.nodes.write(leaves);
    for (const leafIndex of leaves.keys()) this.nullifiedLeaves.add(leafIndex);
    this.nullified += count;
    this.lastSeq++;
  }

  private leavesToAppend(count: number): Map<number, Hash> {
    const batch = this.outputs.slice(this.appended, this.appended + count);
    const leaves = batch.map((leaf, i) => [this.appended + i, leaf] as const);
    return new Map(leaves.filter(([leafIndex]) => !this.nullifiedLeaves.has(leafIndex)));
  }

  private leavesToNullify(count: number): Map<number, Hash> {
    const batch = this.inputs.slice(this.nullified, this.nullified + count);
    return new Map(batch.map(({ leafIndex, nullifier }) => [leafIndex, nullifier]));
  }
}
