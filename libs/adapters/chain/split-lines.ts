import { AnswerTooLargeError } from './rpc-answer';

const LINE_FEED = 0x0a;
const CR = 0x0d;

/**
 * Lines of megabytes: `readline` searches each chunk with a regular expression, which takes longer than to parse the block.
 *
 * @param maxBytes of a line, as far as it is held in memory
 * @returns the lines, each in the parts that were read
 * @throws AnswerTooLargeError
 */
export async function* splitLines(input: AsyncIterable<Buffer>, maxBytes = Infinity): AsyncIterable<Buffer[]> {
  let parts: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of input) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      yield [...parts, chunk.subarray(start, end)];
      [parts, sizeBytes] = [[], 0];
      start = end + 1;
    }
    parts.push(chunk.subarray(start));
    sizeBytes += chunk.length - start;
    if (sizeBytes > maxBytes) throw new AnswerTooLargeError(`a line of the response is larger than ${maxBytes} bytes`);
  }
  yield parts;
}

/** A line may end with CR, which is white space in JSON. */
export function isEmptyLine(line: readonly Buffer[]): boolean {
  return line.every((part) => part.every((byte) => byte === CR));
}
