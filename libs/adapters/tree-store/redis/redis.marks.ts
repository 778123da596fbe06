import { keyOf, type Pubkey, type Slot, toSlot } from '@fresnel/domain/primitives';
import { now } from '@fresnel/platform/time';
import { type BlockAtSlot, type EntryId } from '../tree-store';
import { type TreeStoreKeys } from './keys';
import { bytesOf, listOf, type ScriptRunner } from './script-runner';
import { decodeMark, entryOfMark, type Mark } from './tree-codec';
import { MOVE_MARK } from './tree.scripts';

/**
 * Marks that were read longer ago are read again. The journal remembers the last `MAX_FORK_DEPTH` blocks, and the gateway refuses a block
 * that neither the journal nor the tables have.
 */
const MAX_AGE_MS = 500;

/** What is known of a tree at an entry: the block that it is as of, if any, and whether its partition has refused blocks. */
export interface TreePlace {
  block: BlockAtSlot | null;
  hasRefused: boolean;
}

/**
 * The marks of all partitions, as they were read last. What a mark says of a tree at an entry stays true, so a mark may be older or
 * newer than the tree that it is compared with.
 */
export class RedisMarks {
  /** By partition: the encoded mark, and the mark. */
  private marks = new Map<string, { bytes: Buffer; mark: Mark }>();
  private readAt = -Infinity;

  constructor(
    private readonly scripts: ScriptRunner,
    private readonly keys: TreeStoreKeys,
  ) {}

  /** Reads all marks. */
  async read(): Promise<void> {
    const startedAt = now();
    const fields = listOf(await this.scripts.command('HGETALL', this.keys.marks)).map(bytesOf);
    const before = this.marks;
    this.marks = new Map();
    for (let at = 0; at < fields.length; at += 2) {
      const [partition, bytes] = [fields[at].toString(), fields[at + 1]];
      const known = before.get(partition);
      this.marks.set(partition, known?.bytes.equals(bytes) ? known : { bytes, mark: decodeMark(bytes) });
    }
    this.readAt = startedAt;
  }

  /** Whether they were read a moment ago. */
  get areRecent(): boolean {
    return now() - this.readAt < MAX_AGE_MS;
  }

  /** The lowest slot of all partitions; null while one has none. */
  get slot(): Slot | null {
    const slots = this.all.map(({ block }) => block?.slot ?? null);
    return this.areComplete && slots.every((slot) => slot !== null) ? toSlot(Math.min(...slots)) : null;
  }

  /** Whether all partitions have a mark, and no mark has a tree. */
  get areEmpty(): boolean {
    return this.areComplete && this.all.every(({ trees }) => trees.size === 0);
  }

  /**
   * Where a tree is if it is at an entry: as of the mark that names this entry for it. Without such a mark, it is as of its own block.
   */
  placeOf(tree: Pubkey, entry: EntryId, own: BlockAtSlot | null): TreePlace {
    const key = keyOf(tree);
    const marks = this.all.filter(({ trees }) => trees.has(key));
    const naming = marks.find(({ trees }) => trees.get(key)?.entry === entry);
    return { block: naming ? naming.block : own, hasRefused: marks.some(({ hasRefused }) => hasRefused) };
  }

  /** The mark of one partition, encoded; null if there is none. */
  async readOne(partition: number): Promise<Buffer | null> {
    const mark = await this.scripts.command('HGET', this.keys.marks, String(partition));
    return mark === null ? null : bytesOf(mark);
  }

  /**
   * Replaces a mark by another one.
   *
   * @param seen the mark that must be stored; null: none
   * @returns false if another mark is stored
   */
  async move(partition: number, seen: Buffer | null, next: Buffer): Promise<boolean> {
    const id = seen ? entryOfMark(seen) : '';
    return (await this.scripts.run(MOVE_MARK, [this.keys.marks], [String(partition), id, next])) === 1;
  }

  private get all(): Mark[] {
    return [...this.marks.values()].map(({ mark }) => mark);
  }

  private get areComplete(): boolean {
    const { all } = this;
    return all.length > 0 && all.every(({ partitionCount }) => partitionCount <= all.length);
  }
}
