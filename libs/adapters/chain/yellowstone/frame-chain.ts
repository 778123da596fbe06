import { EventEmitter, once } from 'node:events';
import { type BlockRef, isChildOf } from '@fresnel/domain/chain';
import { keyOf, type Slot } from '@fresnel/domain/primitives';
import { waitForOthers } from '@fresnel/platform';
import { type BlockFrame } from './block-frame.codec';

/** A frame takes about 500 bytes. */
const MAX_FRAMES = 10_000;

/**
 * `down`: no blocks are expected; `replaying`: the server has promised all blocks after the last one, and none has arrived
 * yet; `live`: blocks arrive.
 */
export type StreamState = 'down' | 'replaying' | 'live';

/** Buffers received frames, in any order, and finds the child of a block among them. */
export class FrameChain {
  private streamState: StreamState = 'down';
  private followed = false;
  private newest: Slot | null = null;
  /** By the blockhash of the parent, oldest arrival first. */
  private readonly children = new Map<string, BlockFrame>();
  private readonly changes = new EventEmitter();

  constructor(private readonly maxFrames = MAX_FRAMES) {}

  get state(): StreamState {
    return this.streamState;
  }

  set state(state: StreamState) {
    if (state === 'replaying') this.clear();
    this.streamState = state;
    this.changes.emit('change');
  }

  /** Whether a reader takes the frames one after the other. All are kept for it; otherwise only the newest are kept. */
  set isFollowed(isFollowed: boolean) {
    this.followed = isFollowed;
    this.changes.emit('change');
  }

  add(frame: BlockFrame): void {
    this.children.set(keyOf(frame.parentBlockhash), frame);
    if (this.newest === null || frame.slot > this.newest) this.newest = frame.slot;
    if (this.children.size > this.maxFrames && !this.followed) this.deleteOldest();
    this.changes.emit('change');
  }

  /** Whether the reader must take frames before more are added. */
  get isFull(): boolean {
    return this.followed && this.children.size >= this.maxFrames;
  }

  hasChild(parent: BlockRef): boolean {
    return this.findChild(parent) !== null;
  }

  /**
   * Removes and returns the child of a block; null if it was not received. Also drops all frames up to the slot of
   * `parent`.
   */
  takeChild(parent: BlockRef): BlockFrame | null {
    this.dropUpTo(parent.slot);
    const child = this.findChild(parent);
    if (!child) return null;
    this.children.delete(keyOf(child.parentBlockhash));
    this.changes.emit('change');
    return child;
  }

  /** Whether the stream has delivered a later slot: then a missing child will not be delivered. */
  isBeyond({ slot }: BlockRef): boolean {
    return this.newest !== null && this.newest > slot;
  }

  /** Resolves on the next change. @throws AbortError, caused by the signal's reason, when the signal aborts */
  async waitForChange(signal: AbortSignal): Promise<void> {
    await waitForOthers(() => once(this.changes, 'change', { signal }));
  }

  /** @returns a function that removes the listener */
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

  private clear(): void {
    this.children.clear();
    this.newest = null;
  }

  private deleteOldest(): void {
    for (const oldest of this.children.keys()) {
      this.children.delete(oldest);
      return;
    }
  }

  private dropUpTo(slot: Slot): void {
    for (const [key, frame] of this.children) {
      if (frame.slot > slot) return;
      this.children.delete(key);
    }
  }
}
