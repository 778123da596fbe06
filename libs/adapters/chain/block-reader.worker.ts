import { getPriority, setPriority } from 'node:os';
import { type Pubkey } from '@fresnel/domain/primitives';
import { type BlockTask, type BlockTaskResult } from './block-reader';
import { readBlock } from './read-block';

/** Below that of the thread that answers requests. */
const NICENESS = 10;

// On Linux this sets the priority of the calling thread, elsewhere that of the whole process.
if (process.platform === 'linux') setPriority(Math.max(getPriority(), NICENESS));

/** Runs in the worker threads of `BlockReader`. */
export default function run({ text, options, accountCompression }: BlockTask): BlockTaskResult {
  try {
    const bytes = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
    const block = readBlock(bytes, options, accountCompression && (Buffer.from(accountCompression) as Pubkey));
    const signatures = block?.signatures ? Buffer.concat(block.signatures) : null;
    return { block: block && { ...block, signatures: null }, signatures };
  } catch {
    return null;
  }
}
