import { RpcClient } from './rpc-client';

describe('a call', () => {
  const rpc = new RpcClient('http://127.0.0.1:1');
  const answerWith = (response: Response) => jest.spyOn(globalThis, 'fetch').mockResolvedValue(response);
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('ends with the reason of its signal, also if the runtime loses the abort', async () => {
    answerWith(new Response(new ReadableStream({ pull: () => new Promise<void>(() => undefined) })));
    const stop = new AbortController();
    const calling = rpc.call('getIndexerSlot', [], { signal: stop.signal });
    setImmediate(() => {
      stop.abort(new Error('enough'));
    });
    await expect(calling).rejects.toThrow('enough');
  });

  it('fails if the answer is no object', async () => {
    answerWith(new Response('null', { status: 502 }));
    await expect(rpc.call('getIndexerSlot')).rejects.toThrow('The server answered with status 502 and without JSON.');
  });
});
