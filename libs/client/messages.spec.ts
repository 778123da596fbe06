import { readFrame } from './messages';

const MAX = 18_446_744_073_709_551_615n;
const frameOf = (result: string) =>
  readFrame(`{"jsonrpc":"2.0","method":"compressionNotification","params":{"subscription":1,"result":${result}}}`);

describe('readFrame', () => {
  it('keeps all digits of u64 values', () => {
    const account = `{"lamports":${MAX},"seq":null,"data":{"discriminator": ${MAX},"data":""}}`;
    const frame = frameOf(
      `{"type":"transaction","openedAccounts":[{"account":${account},"optionalTokenData":{"amount":1}}],"slot":5}`,
    );
    expect(frame).toMatchObject({
      message: {
        slot: 5,
        openedAccounts: [
          {
            account: { lamports: MAX, seq: null, data: { discriminator: MAX, data: '' } },
            optionalTokenData: { amount: 1n },
          },
        ],
      },
    });
  });

  it('leaves texts as they are', () => {
    const hostile = '"lamports":1 \\"amount\\":2 \u202e \ud800';
    const frame = frameOf(JSON.stringify({ type: 'slot', slot: 1, blockhash: hostile, cursor: '"seq":3' }));
    expect(frame).toMatchObject({ message: { blockhash: hostile, cursor: '"seq":3' } });
  });

  it('ignores what it does not know', () => {
    expect(frameOf('{"type":"later"}')).toEqual({ kind: 'unknown' });
    expect(readFrame('{"jsonrpc":"2.0","id":1,"result":0}')).toEqual({ kind: 'subscribed' });
    expect(readFrame('{"id":1,"error":{"code":-32602,"message":"no"}}')).toEqual({
      kind: 'error',
      code: -32602,
      message: 'no',
    });
    expect(() => readFrame('<html>')).toThrow(SyntaxError);
  });
});
