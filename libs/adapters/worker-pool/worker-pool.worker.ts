import { getPriority, setPriority } from 'node:os';
import { poseidonBatch, poseidonSeries } from '@fresnel/domain/poseidon';
import { encodeTransactionJson } from '@fresnel/domain/chain/transaction-json';
import { move } from 'piscina';
import { packBytes, type PackedBytes, unpackBytes } from './packed-bytes';
import { type EncodingTask, type HashTask, type SeriesTask, type Task } from './worker-pool';

/** Below that of the thread that answers requests. */
const NICENESS = 10;

// On Linux this sets the priority of the calling thread, elsewhere that of the whole process.
if (process.platform === 'linux') setPriority(Math.max(getPriority(), NICENESS));

/** Runs in the worker threads of `WorkerPool`. */
export default function run(task: Task): unknown {
  if ('json' in task) return encode(task);
  // A copy with memory of its own, which moves to the calling thread.
  return move(Uint8Array.prototype.slice.call(hash(task)));
}

function encode({ json, known }: EncodingTask): PackedBytes {
  const knownBytes = unpackBytes(known);
  return packBytes(json.map((text, at) => encodeTransactionJson(text, [knownBytes[at]])));
}

function hash(task: HashTask | SeriesTask): Buffer {
  if ('arity' in task) return poseidonBatch(task.arity, Buffer.from(task.inputs.buffer));
  return poseidonSeries({ values: Buffer.from(task.values.buffer), operands: task.operands });
}
