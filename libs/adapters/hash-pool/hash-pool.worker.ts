import { getPriority, setPriority } from 'node:os';
import { poseidon, poseidonBatch } from '@fresnel/domain/poseidon';
import { hashInSeries } from '@fresnel/domain/primitives';
import { move } from 'piscina';
import { type HashTask, type SeriesTask } from './hash-pool';

/** Below that of the thread that answers requests. */
const NICENESS = 10;

// On Linux this sets the priority of the calling thread, elsewhere that of the whole process.
if (process.platform === 'linux') setPriority(Math.max(getPriority(), NICENESS));

/** Runs in the worker threads of `HashPool`. */
export default function hashTask(task: HashTask | SeriesTask): unknown {
  // A copy with memory of its own, which moves to the calling thread.
  return move(Uint8Array.prototype.slice.call(hash(task)));
}

function hash(task: HashTask | SeriesTask): Buffer {
  if ('arity' in task) return poseidonBatch(task.arity, Buffer.from(task.inputs.buffer));
  return hashInSeries({ values: Buffer.from(task.values.buffer), operands: task.operands }, poseidon);
}
