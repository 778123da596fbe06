import { HASH_BYTES, type HashSeries } from '@fresnel/domain/primitives';
import { poseidonBatch } from './poseidon';

const PAIR_BYTES = 2 * HASH_BYTES;

/**
 * Hashes a series. Hashes that do not use each other's results are computed in one batch: in a tree, those of one level.
 *
 * @returns the hashes in their order, 32 bytes big endian each
 * @throws MalformedBytesError as `Hasher` does
 */
export function poseidonSeries({ values, operands }: HashSeries): Buffer {
  const hashes = Buffer.allocUnsafe((operands.length / 2) * HASH_BYTES);
  for (const batch of toBatches(operands)) {
    const pairs = Buffer.allocUnsafe(batch.length * PAIR_BYTES);
    for (const [at, hash] of batch.entries()) {
      copyOperand(operands[2 * hash], pairs, at * PAIR_BYTES);
      copyOperand(operands[2 * hash + 1], pairs, at * PAIR_BYTES + HASH_BYTES);
    }
    const results = poseidonBatch(2, pairs);
    for (const [at, hash] of batch.entries()) {
      results.copy(hashes, hash * HASH_BYTES, at * HASH_BYTES, (at + 1) * HASH_BYTES);
    }
  }
  return hashes;

  function copyOperand(operand: number, target: Buffer, at: number): void {
    const [source, position] = operand < 0 ? [hashes, -1 - operand] : [values, operand];
    source.copy(target, at, position * HASH_BYTES, (position + 1) * HASH_BYTES);
  }
}

/** Groups the hashes of a series by how many hashes lead to them. */
function toBatches(operands: Int32Array): number[][] {
  const batches: number[][] = [];
  const depths = new Uint32Array(operands.length / 2);
  const depthAfter = (operand: number) => (operand < 0 ? depths[-1 - operand] + 1 : 0);
  for (let hash = 0; hash < depths.length; hash++) {
    const depth = Math.max(depthAfter(operands[2 * hash]), depthAfter(operands[2 * hash + 1]));
    depths[hash] = depth;
    (batches[depth] ??= []).push(hash);
  }
  return batches;
}
