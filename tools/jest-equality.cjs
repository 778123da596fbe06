// Runs in every suite: compares equal byte arrays as bytes. Jest compares them index by index, which took most of the time of
// some suites. Byte arrays that differ are left to Jest, which prints the difference.

/**
 * @param {unknown} a
 * @param {unknown} b
 */
function areEqualBytes(a, b) {
  if (!(a instanceof Uint8Array && b instanceof Uint8Array) || a.constructor !== b.constructor) return undefined;
  return Buffer.compare(a, b) === 0 ? true : undefined;
}

expect.addEqualityTesters([areEqualBytes]);
