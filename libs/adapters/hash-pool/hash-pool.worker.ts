import { getPriority, setPriority } from 'node:os';
import { poseidonBatch } from '@fresnel/domain/poseidon';
import { move } from 'piscina';
import { type HashTask } from './hash-pool';

/** Below that of the thread that answers requests. */
const NICENESS = 10;

// On Linux this sets the priority of the calling thread, elsewhere that of the whole process.
if (process.platform === 'linux') setPriority(Math.max(getPriority(), NICENESS));

/** Runs in the worker threads of `HashPool`. */
export default function hashShare({ arity, inputs }: HashTask): unknown {
  // A copy with memory of its own, which moves to the calling thread.
  return move(Uint8Array.prototype.slice.call(poseidonBatch(arity, Buffer.from(inputs.buffer))));
}
