/**
 * Gives the parts of a body as they arrive. Node 20 and 22 wait for ever for the next part if a request is aborted while they
 * decompress its answer, so this listens to the signal as well.
 *
 * @param signal that of the request
 * @throws the signal's reason; errors of the connection
 */
export async function* readBody({ body }: Response, signal: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
  if (!body) return;
  const parts = (body as AsyncIterable<Uint8Array, undefined>)[Symbol.asyncIterator]();
  let onAbort: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => {
      reject(signal.reason as Error);
    };
  });
  aborted.catch(() => undefined); // the signal may abort while the caller works on a part
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    signal.throwIfAborted();
    for (;;) {
      const part = await Promise.race([parts.next(), aborted]);
      if (part.done) return;
      yield part.value;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    parts.return?.().catch(() => undefined); // nor does this end then
  }
}
