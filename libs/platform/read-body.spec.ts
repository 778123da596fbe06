import { readBody } from './read-body';

const never = new AbortController().signal;

/** An answer of which the runtime gives these parts and then nothing, not even an error when its request is aborted. */
function stuck(...parts: string[]): Response {
  const encoder = new TextEncoder();
  return new Response(
    new ReadableStream({
      pull: (stream) => {
        const part = parts.shift();
        if (part !== undefined) stream.enqueue(encoder.encode(part));
        return part === undefined ? new Promise<void>(() => undefined) : undefined;
      },
    }),
  );
}

async function readAll(response: Response, signal: AbortSignal): Promise<string> {
  let text = '';
  for await (const part of readBody(response, signal)) text += Buffer.from(part).toString();
  return text;
}

describe('the body of an answer', () => {
  it('is given to its end', async () => {
    expect(await readAll(new Response('{"slot":7}'), never)).toBe('{"slot":7}');
    expect(await readAll(new Response(null), never)).toBe('');
  });

  it('ends with the reason of the signal, also if the runtime loses the abort', async () => {
    const stop = new AbortController();
    const reading = readAll(stuck('{"slot"', ':7'), stop.signal);
    setImmediate(() => {
      stop.abort(new Error('no response within 30 ms'));
    });
    await expect(reading).rejects.toThrow('no response within 30 ms');
  });

  it('is not waited for on an aborted signal', async () => {
    await expect(readAll(stuck(), AbortSignal.abort(new Error('shutdown')))).rejects.toThrow('shutdown');
  });

  it('ends while the caller works on a part', async () => {
    const stop = new AbortController();
    const reading = (async () => {
      for await (const part of readBody(stuck('a'), stop.signal))
        if (part.length > 0) stop.abort(new Error('shutdown'));
    })();
    await expect(reading).rejects.toThrow('shutdown');
  });

  it('is canceled when the caller needs no more of it', async () => {
    let isCanceled = false;
    const stream = new ReadableStream({
      pull: (controller) => {
        controller.enqueue(Buffer.from('a'));
      },
      cancel: () => {
        isCanceled = true;
      },
    });
    for await (const part of readBody(new Response(stream), never)) if (part.length > 0) break;
    expect(isCanceled).toBe(true);
  });
});
