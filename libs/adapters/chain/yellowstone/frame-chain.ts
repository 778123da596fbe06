import { EventEmitter, once } from 'node:events';
import { type BlockRef, isChildOf } from '@fresnel/domain/chain';
import { keyOf, type Slot } from '@fresnel/domain/primitives';
import { type BlockFrame } from './block-frame.codec';

/** Frames take about 500 bytes each. More than these are worth forgetting: who is so far behind fetches faster by RPC. */
const MOST_FRAMES = 10_000;

/** Frames that came in and wait for their turn: whatever order they came in, a parent leads to its child. */
export class FrameChain {
  private live = false;
  private newest: Slot | null = null;
  /** By the hash of the parent, oldest arrival first. */
  private readonly children = new Map<string, BlockFrame>();
  private readonly changes = new EventEmitter();

  /** Whether the stream delivers at present. */
  get isLive(): boolean {
    return this.live;
  }

  set isLive(isLive: boolean) {
    this.live = isLive;
    this.changes.emit('change');
  }

  add(frame: BlockFrame): void {
    this.children.set(keyOf(frame.parentBlockhash), frame);
    if (this.newest === null || frame.slot > this.newest) this.newest = frame.slot;
    if (this.children.size > MOST_FRAMES) this.deleteOldest();
    this.changes.emit('change');
  }

  hasChild(parent: BlockRef): boolean {
    return this.findChild(parent) !== null;
  }

  /** Takes the frame of the block behind a block, and forgets those before it; null where it did not come yet. */
  takeChild(parent: BlockRef): BlockFrame | null {
    this.forgetUpTo(parent.slot);
    const child = this.findChild(parent);
    if (child) this.children.delete(keyOf(child.parentBlockhash));
    return child;
  }

  /** Whether the stream has been at a later slot: then a block that is missing here is not about to come. */
  isBeyond({ slot }: BlockRef): boolean {
    return this.newest !== null && this.newest > slot;
  }

  /** @throws the signal's reason, wrapped, when it says stop */
  async whenChanged(signal: AbortSignal): Promise<void> {
    await once(this.changes, 'change', { signal });
  }

  /** @returns ends the calls */
  onChange(listener: () => void): () => void {
    this.changes.on('change', listener);
    return () => {
      this.changes.off('change', listener);
    };
  }

  private findChild(parent: BlockRef): BlockFrame | null {
    const child = this.children.get(keyOf(parent.blockhash));
    return child && isChildOf(child, parent) && child.slot > parent.slot ? child : null;
  }

  private deleteOldest(): void {
    for (const oldest of this.children.keys()) {
      this.children.delete(oldest);
      return;
    }
  }

  private forgetUpTo(slot: Slot): void {
    for (const [key, frame] of this.children) {
      if (frame.slot > slot) return;
      this.children.delete(key);
    }
  }
}
