/** Byte strings in succession, in memory of their own: it can move to another thread. */
export interface PackedBytes {
  bytes: Uint8Array;
  /** Where each string ends. */
  ends: Uint32Array;
}

export function packBytes(strings: readonly Uint8Array[]): PackedBytes {
  const ends = new Uint32Array(strings.length);
  let length = 0;
  for (const [at, string] of strings.entries()) ends[at] = length += string.length;
  // Not `Buffer.concat`, whose result may be a part of Buffer's pool, which cannot move.
  const bytes = new Uint8Array(length);
  for (const [at, string] of strings.entries()) bytes.set(string, ends[at] - string.length);
  return { bytes, ends };
}

/** The strings, which share the packed memory. */
export function unpackBytes({ bytes, ends }: PackedBytes): Buffer[] {
  const { buffer } = bytes;
  return Array.from(ends, (end, at) => {
    const start = at === 0 ? 0 : ends[at - 1];
    return Buffer.from(buffer, start, end - start);
  });
}
