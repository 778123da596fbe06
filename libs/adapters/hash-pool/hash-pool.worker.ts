import { poseidonBatch } from '@fresnel/domain/poseidon';
import { move } from 'piscina';
import { type HashTask } from './hash-pool';

/** Runs in the worker threads of `HashPool`. */
export default function hashShare({ arity, inputs }: HashTask): unknown {
  // A copy with memory of its own, which moves to the calling thread.
  return move(Uint8Array.prototype.slice.call(poseidonBatch(arity, Buffer.from(inputs.buffer))));
}
