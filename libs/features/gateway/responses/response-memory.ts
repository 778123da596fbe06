import { Injectable } from '@nestjs/common';

/** More than a thousand new-address proofs of a tree with 40 levels. */
const BLOCK_BYTES = 3 * 1024 * 1024;
/** Smaller responses take their memory from Node: a block for each would make V8 collect its heap. */
const MIN_BYTES = 128 * 1024;
/** Blocks that are kept. More responses at the same time get memory that is not used again. */
const MAX_FREE = 4;

/**
 * Memory of large responses, which is used again after they are sent. In new memory, a response of a megabyte takes about 4 ms
 * longer: the kernel clears each page of it, and V8 collects its whole heap after a few of them.
 */
@Injectable()
export class ResponseMemory {
  private readonly free: Buffer[] = [];
  private readonly blocks = new WeakSet<ArrayBufferLike>();

  /** Memory with any contents. A caller that does not release it loses nothing: then it is collected. */
  take(bytes: number): Buffer {
    if (bytes < MIN_BYTES || bytes > BLOCK_BYTES) return Buffer.allocUnsafe(bytes);
    const block = this.free.pop() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES);
    this.blocks.add(block.buffer);
    return block;
  }

  /** Takes back the memory of a response that is sent, or never will be. @param parts of the response, also in memory from elsewhere */
  release(parts: readonly Buffer[]): void {
    for (const { buffer } of parts) {
      // Each block once, also if several parts are in it.
      if (this.blocks.delete(buffer) && this.free.length < MAX_FREE) this.free.push(Buffer.from(buffer));
    }
  }
}
