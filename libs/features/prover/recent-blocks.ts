import { type RecentBlock } from '@fresnel/adapters/tree-store';
import { type Hash, keyOf, type Slot } from '@fresnel/domain/primitives';

/** More than a fork takes back. */
const MAX_MET = 64;
/** Records of some forks may still come twice. */
const MAX_ABANDONED = 256;

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
  private readonly met = new Map<string, RecentBlock>();
  private readonly abandoned = new Map<string, RecentBlock>();
  private last: Slot | null = null;

  /** @param blocks as they were remembered, in the order of `all` */
  constructor(blocks: readonly RecentBlock[]) {
    for (const block of blocks) {
      if (block.isAbandoned) this.abandoned.set(keyOf(block.blockhash), block);
      else this.meet(block);
    }
  }

  /** Slot of the newest block on our branch; null where none is known. */
  get tip(): Slot | null {
    return this.last;
  }

  /** What to remember. */
  get all(): RecentBlock[] {
    return [...this.abandoned.values(), ...this.met.values()];
  }

  /**
   * Whether a record is of a block on our branch, of which its block may be the new tip.
   *
   * Blocks come in the chain's order. So one at a slot that the branch has passed without it is of another branch, of which
   * nobody has said yet that the chain took it. What lies before all that is remembered is old, and of no harm.
   */
  admit({ slot, blockhash, parentBlockhash }: NamedBlock): boolean {
    if (!blockhash || this.met.has(keyOf(blockhash))) return true;
    if (this.abandoned.has(keyOf(blockhash))) return false;
    if (parentBlockhash && this.abandoned.has(keyOf(parentBlockhash))) {
      this.remember(slot, blockhash);
      return false;
    }
    if (this.last !== null && slot <= this.last) return slot < this.oldest;
    this.meet({ slot, blockhash, isAbandoned: false });
    return true;
  }

  /**
   * Remembers that the chain has left a block.
   *
   * @returns whether trees may have followed it until now: they did, or nothing is known of what they followed
   */
  abandon({ slot, blockhash }: Required<Pick<NamedBlock, 'slot' | 'blockhash'>>): boolean {
    if (this.abandoned.has(keyOf(blockhash))) return false;
    const isStrange = !this.met.has(keyOf(blockhash)) && this.last !== null;
    this.remember(slot, blockhash);
    if (isStrange) return false;
    const kept = [...this.met.values()].filter((block) => block.slot < slot);
    this.met.clear();
    this.last = null;
    for (const block of kept) this.meet(block);
    return true;
  }

  private get oldest(): Slot {
    const [first] = this.met.values();
    return first.slot;
  }

  private meet(block: RecentBlock): void {
    this.met.set(keyOf(block.blockhash), block);
    this.last = block.slot;
    dropBeyond(this.met, MAX_MET);
  }

  private remember(slot: Slot, blockhash: Hash): void {
    this.abandoned.set(keyOf(blockhash), { slot, blockhash, isAbandoned: true });
    dropBeyond(this.abandoned, MAX_ABANDONED);
  }
}

function dropBeyond(blocks: Map<string, RecentBlock>, most: number): void {
  for (const key of blocks.keys()) {
    if (blocks.size <= most) return;
    blocks.delete(key);
  }
}
