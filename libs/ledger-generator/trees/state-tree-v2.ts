import { type Hash } from '@fresnel/domain/primitives';
import { type TreeInfo } from '@fresnel/domain/trees';
import { type Nullification } from '../facts';
import { MerkleTree } from './merkle-tree';
import { type TreePosition } from './state-tree-v1';

/**
 * A V2 state tree: outputs and nullifiers enter queues, and each update of a forester applies a batch of one queue.
 *
 * ```
 *  output queue   h0 h1 h2 h3 …       leaf index = position; positions before `appendedEnd` are appended
 *  input queue    n0 n1 n2 …          each with its leaf index; positions before `nullifiedEnd` are nullified
 * ```
 *
 * A leaf may be nullified before it is appended. The append then keeps the nullifier.
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

  /** Sequence number of the last update. */
  get seq(): bigint {
    return this.lastSeq;
  }

  get appendedEnd(): number {
    return this.appended;
  }

  get nullifiedEnd(): number {
    return this.nullified;
  }

  get queuedOutputCount(): number {
    return this.outputs.length - this.appended;
  }

  get queuedInputCount(): number {
    return this.inputs.length - this.nullified;
  }

  /** Positions of accounts that are not appended yet, with their leaf indices, which are equal. */
  get queuedOutputs(): { position: number; leafIndex: number }[] {
    const waiting = this.outputs.slice(this.appended);
    return waiting.map((_, at) => ({ position: this.appended + at, leafIndex: this.appended + at }));
  }

  /** Positions of nullifiers that are not in the tree yet, with their leaf indices. */
  get queuedInputs(): { position: number; leafIndex: number }[] {
    const waiting = this.inputs.slice(this.nullified);
    return waiting.map(({ leafIndex }, at) => ({ position: this.nullified + at, leafIndex }));
  }

  /** Hash of the account with a leaf index. */
  output(leafIndex: number): Hash {
    return this.outputs[leafIndex];
  }

  /** Position of the account that is appended after `ahead` others. */
  positionAfter(ahead: number): TreePosition {
    return { leafIndex: this.outputs.length + ahead, seq: null };
  }

  /** Queue position of the nullifier that is enqueued after `ahead` others. */
  inputPositionAfter(ahead: number): bigint {
    return BigInt(this.inputs.length + ahead);
  }

  append(leaf: Hash): void {
    this.outputs.push(leaf);
  }

  consume(leafIndex: number, { nullifier }: Nullification): void {
    this.inputs.push({ leafIndex, nullifier });
  }

  /** Whether an account is still in the output queue, so that it can be proven by index. */
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
