const LINE_FEED = 0x0a;
const CR = 0x0d;

/**
 * Lines of megabytes: `readline` searches each chunk with a regular expression, which takes longer than to parse the block.
 *
 * @returns the lines, each in the parts that were read
 */
export async function* splitLines(input: AsyncIterable<Buffer>): AsyncIterable<Buffer[]> {
  let parts: Buffer[] = [];
  for await (const chunk of input) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      yield [...parts, chunk.subarray(start, end)];
      parts = [];
      start = end + 1;
    }
    parts.push(chunk.subarray(start));
  }
  yield parts;
}

/** A line may end with CR, which is white space in JSON. */
export function isEmptyLine(line: readonly Buffer[]): boolean {
  return line.every((part) => part.every((byte) => byte === CR));
}
