/**
 * Copies bytes into memory of their own, for what is kept for long. Node allocates small buffers in slabs of 8 KB: a hash of 32 bytes that is
 * kept would keep its whole slab.
 */
export function ownBytes<Bytes extends Buffer>(bytes: Bytes): Bytes {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy as Bytes;
}
