import { type RecentBlock } from '@fresnel/adapters/tree-store';
import { type Hash, keyOf, type Slot } from '@fresnel/domain/primitives';

/** More than a fork takes back. */
const MAX_SEEN = 64;
/** Records of some forks may still come twice. */
const MAX_ORPHANED = 256;

/** What records of a partition say of their block; older writers say the slot alone. */
export interface NamedBlock {
  slot: Slot;
  blockhash?: Hash;
  parentBlockhash?: Hash;
}

/**
 * The last blocks of a partition: those that its trees follow, and those that the chain has left.
 *
 * ```
 *  met         100 ── 101 ── 102 ── 103      each record of a block moves the tip on
 *  abandoned           └ 101' ── 102'        whatever is told of them, or of their children, comes too late
 * ```
 */
export class RecentBlocks {
  /** By blockhash, oldest first. */
  private readonly seen = new Map<string, RecentBlock>();
  private readonly orphaned = new Map<string, RecentBlock>();
  private last: Slot | null = null;

  /** @param blocks as they were remembered, in the order of `all` */
  constructor(blocks: readonly RecentBlock[]) {
    for (const block of blocks) {
      if (block.isOrphaned) this.orphaned.set(keyOf(block.blockhash), block);
      else this.addSeen(block);
    }
  }

  /** Slot of the newest block on our branch; null where none is known. */
  get tip(): Slot | null {
    return this.last;
  }

  /** What to remember. */
  get all(): RecentBlock[] {
    return [...this.orphaned.values(), ...this.seen.values()];
  }

  /**
   * Whether a record is of a block on our branch, of which its block may be the new tip.
   *
   * Blocks come in the chain's order. So one at a slot that the branch has passed without it is of another branch, of which
   * nobody has said yet that the chain took it. What lies before all that is remembered is old, and of no harm.
   */
  admit({ slot, blockhash, parentBlockhash }: NamedBlock): boolean {
    if (!blockhash || this.seen.has(keyOf(blockhash))) return true;
    if (this.orphaned.has(keyOf(blockhash))) return false;
    if (parentBlockhash && this.orphaned.has(keyOf(parentBlockhash))) {
      this.addOrphaned(slot, blockhash);
      return false;
    }
    if (this.last !== null && slot <= this.last) return slot < this.oldest;
    this.addSeen({ slot, blockhash, isOrphaned: false });
    return true;
  }

  /**
   * Remembers that the chain has left a block.
   *
   * @returns whether trees may have followed it until now: they did, or nothing is known of what they followed
   */
  markOrphaned({ slot, blockhash }: Required<Pick<NamedBlock, 'slot' | 'blockhash'>>): boolean {
    if (this.orphaned.has(keyOf(blockhash))) return false;
    const isStrange = !this.seen.has(keyOf(blockhash)) && this.last !== null;
    this.addOrphaned(slot, blockhash);
    if (isStrange) return false;
    const kept = [...this.seen.values()].filter((block) => block.slot < slot);
    this.seen.clear();
    this.last = null;
    for (const block of kept) this.addSeen(block);
    return true;
  }

  private get oldest(): Slot {
    const [first] = this.seen.values();
    return first.slot;
  }

  private addSeen(block: RecentBlock): void {
    this.seen.set(keyOf(block.blockhash), block);
    this.last = block.slot;
    dropBeyond(this.seen, MAX_SEEN);
  }

  private addOrphaned(slot: Slot, blockhash: Hash): void {
    this.orphaned.set(keyOf(blockhash), { slot, blockhash, isOrphaned: true });
    dropBeyond(this.orphaned, MAX_ORPHANED);
  }
}

function dropBeyond(blocks: Map<string, RecentBlock>, most: number): void {
  for (const key of blocks.keys()) {
    if (blocks.size <= most) return;
    blocks.delete(key);
  }
}
